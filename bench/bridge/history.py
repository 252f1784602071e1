"""Reads the history of a session page by page, as a client of level 0 does. Parses frames only to find the next page."""

import base64
import json
import os
import re
import socket
import struct
import time

SECONDS = 120


class Socket:
    """A WebSocket client for text frames, of the standard library only."""

    def __init__(self, port, token):
        self.it = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self.file = self.it.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /ws HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Authorization: Bearer {token}", "", ""]
        self.it.sendall("\r\n".join(lines).encode())
        if b" 101 " not in self.file.readline():
            raise RuntimeError("the bridge refused the WebSocket")
        while self.file.readline().strip():
            pass

    def send(self, **message):
        text, mask = json.dumps(message).encode(), os.urandom(4)
        length = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(text))
        self.it.sendall(b"\x81" + length + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(text)))

    def receive(self):
        """Returns the next text message as bytes."""
        text = b""
        while True:
            first, length = self.file.read(2)
            if length > 125:
                length = int.from_bytes(self.file.read(2 if length == 126 else 8), "big")
            part = self.file.read(length)
            if first & 0x0F in (0, 1):
                text += part
                if first & 0x80:
                    return text

    def close(self):
        self.file.close()
        self.it.close()


def read(port, token, session):
    """Reads all pages. Returns the bytes of each page and the milliseconds from the request to its last byte."""
    client, pages, more = Socket(port, token), [], {}
    try:
        while True:
            began = time.monotonic()
            client.send(type="get_history", sessionId=session, **more)
            page = client.receive()
            while b'"type":"history"' not in page[:200] and b'"type":"history"' not in page[-200:]:
                page = client.receive()
            pages.append((len(page), (time.monotonic() - began) * 1000))
            # The fields beside the messages are at the start or at the end.
            around = page[:400] + page[-400:]
            if b'"more":true' not in around:
                return pages
            more = {"before": int(re.search(rb'"before":(\d+)', around).group(1))}
    finally:
        client.close()
