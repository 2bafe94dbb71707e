#!/usr/bin/env python3
"""A step service with nothing but Python's standard library: who a customer is, and what they bought.

    python3 customers.py [PORT]

A synchronous step: the response has the outputs. The `Idempotency-Key` is the same in all attempts.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CUSTOMERS = {
    "ada": {"customer": {"name": "Ada", "country": "GB"}, "items": ["engine", "notes", "punched cards"]},
    "bob": {"customer": {"name": "Bob", "country": "US"}, "items": ["pencil"]},
}


class Service(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/health":
            return self.answer(200, {"status": "ok"})
        if path.startswith("/customers/"):
            found = CUSTOMERS.get(path.removeprefix("/customers/"))
            if found is not None:
                return self.answer(200, found)
            # A problem document (RFC 9457): what it says becomes the error of the step.
            problem = {"title": "No such customer", "status": 404, "detail": path.rsplit("/", 1)[-1]}
            return self.answer(404, problem, "application/problem+json")
        return self.answer(404, {"title": "Nothing here", "status": 404}, "application/problem+json")

    def answer(self, status, body, kind="application/json"):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format, *args):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8101
    server = ThreadingHTTPServer(("127.0.0.1", port), Service)
    print(f"customers on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
