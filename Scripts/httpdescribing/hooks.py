"""What schemathesis has to be told of our API; it loads this into its own process."""

import schemathesis


@schemathesis.serializer("application/offset+octet-stream")
def upload_bytes(context, value):
    """Bytes of tus go as they are."""
    return value if isinstance(value, bytes) else str(value).encode()
