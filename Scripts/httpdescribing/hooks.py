"""Settings for schemathesis, which loads this file into its own process."""

import schemathesis


@schemathesis.serializer("application/offset+octet-stream")
def upload_bytes(context, value):
    """Sends the bytes of tus unchanged."""
    return value if isinstance(value, bytes) else str(value).encode()
