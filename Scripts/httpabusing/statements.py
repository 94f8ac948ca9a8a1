"""Rows 182 to 184: interim responses, nginx as a proxy, and error pages for visitors."""

import os
import shutil
import ssl
import subprocess
import tempfile
import time
import urllib.parse

import raw
from resumable import BYTES, TUS
from rows import API, PHOTO, Skip, certificate_in, content, row
from s3servers import free_ports
from watching import read

FILE = b'name="photo"; filename="rex.jpg"'


def upload(connection, owner, photo, version="HTTP/1.1"):
    """Uploads a photo with Resumable Uploads. Returns the final response."""
    fields = raw.basic(*owner) | {"Upload-Complete": "?1", "Upload-Draft-Interop-Version": 6}
    head = raw.request("POST", f"{API}/{owner[0]}/photos", fields | {"Content-Type": "image/jpeg"}, photo)
    connection.send(head.replace(b"HTTP/1.1", version.encode(), 1))
    return connection.read()


@row(182, "interim responses only for clients that understand them")
def interim(row):
    photo, proxied = content(PHOTO), ("--trust-proxy", "127.0.0.0/8")
    with row.own_server("interim") as server, server.connect(timeout=60) as connection:
        answer = upload(connection, row.create(server), photo, "HTTP/1.0")
        row.expect("HTTP/1.0", answer, 201)
        row.case("no interim response", answer and not answer.interim, f"{answer and answer.interim}")
    for options, wanted in ((proxied, []), ((*proxied, "--interim-responses"), [104])):
        with row.own_server("proxied", *options) as server, server.connect(timeout=60) as connection:
            answer = upload(connection, row.create(server), photo)
            row.expect("behind a proxy", answer, 201)
            row.case(f"{options[2:]}: 104", answer and answer.interim[:1] == wanted, f"{answer and answer.interim}")


NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
events {{}}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/a; uwsgi_temp_path {folder}/b; scgi_temp_path {folder}/c;
  upstream pets {{ server 127.0.0.1:{upstream}; keepalive 1; }}
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{secure} ssl;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    client_max_body_size 30m;
    location / {{
      proxy_pass http://pets; proxy_http_version 1.1; proxy_set_header Host $host; proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;
      proxy_request_buffering off; proxy_buffering off; proxy_read_timeout 120s; proxy_send_timeout 120s;
    }}
  }}
}}
"""


def ways(owner, photo):
    """Yields each way to send a photo, and other requests: name, request, and the expected status."""
    photos, auth = f"{API}/{owner[0]}/photos", raw.basic(*owner)
    file, metadata = raw.part(photo, FILE), raw.part(b"{}", b'name="photo"', ())
    bare = auth | {"Content-Type": "image/jpeg"}
    resumable = bare | {"Upload-Complete": "?1", "Upload-Draft-Interop-Version": 6}
    yield "a form", ("POST", photos, auth | raw.form_type(), raw.form(file)), 201
    yield "FilePond's form", ("POST", photos, auth | raw.form_type(), raw.form(metadata, file)), 201
    yield "a bare photo", ("PUT", photos, bare, photo), 201
    yield "a resumable photo", ("POST", photos, resumable, photo), 201
    yield "tus", ("POST", f"{API}/{owner[0]}/uploads", auth | TUS | {"Upload-Length": len(photo)}, b""), 201
    yield "a page", ("GET", "/"), 200
    yield "a list", ("GET", API), 200


@row(183, "nginx as a proxy, with and without TLS: no response is late or delays the next one")
def nginx(row):
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if program is None:
        raise Skip("nginx is not installed")
    certificate, key = certificate_in(row.work.folder)
    context = ssl.create_default_context(cafile=certificate)
    with row.own_server("nginx", "--trust-proxy", "127.0.0.1") as server, tempfile.TemporaryDirectory() as folder:
        path, (port, secure) = os.path.join(folder, "nginx.conf"), free_ports(2)
        with open(path, "w") as file:
            places = {"folder": folder, "upstream": server.port, "certificate": certificate, "key": key}
            file.write(NGINX.format(port=port, secure=secure, **places))
        process = subprocess.Popen([program, "-c", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            server.wait(lambda: read(f"{folder}/pid"), 10)
            through(row, server, port, "")
            through(row, server, secure, " over TLS", context)
        finally:
            process.terminate()
            process.wait()


def through(row, server, port, how, tls=None):
    """Sends all requests over one connection, and then opens an event stream."""
    owner, photo = row.create(server), content(PHOTO)
    with raw.Connection(port, timeout=60, tls=tls) as connection:
        for what, request, status in ways(owner, photo):
            answer = ask(row, connection, what + how, request, status)
            if what == "tus" and answer:
                fields = raw.basic(*owner) | TUS | BYTES | {"Upload-Offset": 0}
                request = ("PATCH", "/" + answer["location"].split("/", 3)[3], fields, photo)
                ask(row, connection, "the bytes by tus" + how, request, 204)
    cookie = server.ask("GET", "/report/chip")["set-cookie"].split(";")[0]
    with raw.Connection(port, timeout=10, tls=tls) as connection:
        begin = time.monotonic()
        connection.send(raw.request("GET", "/report/photo/status", {"Cookie": cookie, "Accept": "text/event-stream"}))
        while b'"status":' not in connection.received and connection.fill():
            pass
        spent, is_told = time.monotonic() - begin, b'"status":' in connection.received
        row.case("events" + how, is_told and spent < 5 * row.work.slowness, f"{spent:.1f} s")


def ask(row, connection, what, request, status):
    begin = time.monotonic()
    connection.send(raw.request(*request))
    answer = connection.read(request[0])
    row.expect(what, answer, status)
    spent = time.monotonic() - begin
    row.case(f"{what} is not late", spent < 5 * row.work.slowness, f"{spent:.1f} s")
    return answer


@row(184, "error pages tell visitors only what concerns them")
def trouble(row):
    fields = {"Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded"}
    with row.own_server("trouble", "--keep-free", "1000TB") as server:
        for language, word in (("en", "disk"), ("pl", "dysk")):
            body = urllib.parse.urlencode({"action": "next", "chip": ""}).encode()
            # An API error has another form.
            with raw.Connection(server.port) as connection:
                connection.send(raw.request("POST", "/report/chip", fields | {"Accept-Language": language}, body))
                answer = connection.read()
            row.case(f"{language}: the page is 507", answer and answer.status == 507, f"{answer}")
            row.case(f"{language}: no word about a disk", word not in answer.body.decode().lower())
        row.case("the log names the store", b"no room in " in read(server.log))
