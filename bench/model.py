"""A Messages API with prepared answers, fast enough not to affect the measurements.

The last of the keywords below in a request selects the answer. Prints its port. `GET /spent` returns the seconds between the
end of requests and the end of their answers since the previous call; `GET /members` returns the number of subagents that have
sent requests since the previous call.
"""

import json
import re
import socket
import threading
import time

SHORT, TOOLS, DELTAS, CREW, MEMBER = b"bench-short", b"bench-tools", b"bench-deltas", b"bench-crew", b"bench-member"
CALLS = 100
MEMBERS = 20
# Delay in seconds of answers to subagents, so that all of them exist at the same time.
WAIT = 4
PIECES = 20_000
USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\nrequest-id: req_%06d\r\ntransfer-encoding: chunked\r\n\r\n"
CHUNK = 32 * 1024


def event(kind, **fields):
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), json.dumps({"type": kind, **fields}, separators=(",", ":")).encode())


def chunked(data):
    parts = (data[at : at + CHUNK] for at in range(0, len(data), CHUNK))
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


def start(number, model):
    message = {"id": f"msg_{number:06}", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None, "stop_sequence": None, "usage": USAGE}
    return event("message_start", message=message)


def end(reason):
    return event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 12}) + event("message_stop")


def text(pieces):
    block = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    deltas = b"".join(event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece}) for piece in pieces)
    return block + deltas + event("content_block_stop", index=0) + end("end_turn")


def call(number):
    block = event("content_block_start", index=0, content_block={"type": "tool_use", "id": f"toolu_{number:06}", "name": "Bash", "input": {}})
    given = json.dumps({"command": "true", "description": "Does nothing"})
    delta = event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": given})
    return block + delta + event("content_block_stop", index=0) + end("tool_use")


def crew(number):
    """Returns a message that starts background subagents."""
    parts = []
    for index in range(MEMBERS):
        given = {"description": f"Member {index}", "prompt": f"{MEMBER.decode()} {index}", "subagent_type": "general-purpose", "run_in_background": True}
        parts.append(event("content_block_start", index=index, content_block={"type": "tool_use", "id": f"toolu_{number:06}_{index:02}", "name": "Agent", "input": {}}))
        parts.append(event("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": json.dumps(given)}))
        parts.append(event("content_block_stop", index=index))
    return b"".join(parts) + end("tool_use")


# The answers except for their heads are prepared once.
LAST = b"0\r\n\r\n"
SHORT_ANSWER = chunked(text(["Hello ", "there, ", "friend."])) + LAST
DELTAS_ANSWER = chunked(text([f"word{number % 997} " for number in range(PIECES)])) + LAST


class Model:
    def __init__(self):
        self.lock, self.number, self.spent, self.members = threading.Lock(), 0, 0.0, 0

    def answer(self, body):
        """Returns the parts of the answer to a request for a message."""
        with self.lock:
            self.number += 1
            number = self.number
        found = re.search(rb'"model":\s*"([^"]*)"', body)
        name = found.group(1).decode() if found else "model"
        if not re.search(rb'"stream":\s*true', body):
            message = {"id": f"msg_{number:06}", "type": "message", "role": "assistant", "model": name, "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE}
            return [plain(message)]
        head = HEAD % number + chunked(start(number, name))
        if not re.search(rb'"tools":\s*\[\s*\{', body):
            return [head + SHORT_ANSWER]
        if CREW in body:
            called = re.search(rb'"type":\s*"tool_result"', body)
            return [head + (SHORT_ANSWER if called else chunked(crew(number)) + LAST)]
        wanted = max((SHORT, TOOLS, DELTAS, MEMBER), key=body.rfind)
        if wanted == MEMBER:
            with self.lock:
                self.members += 1
            time.sleep(WAIT)
        if wanted == DELTAS:
            return [head, DELTAS_ANSWER]
        if wanted == TOOLS and len(re.findall(rb'"type":\s*"tool_result"', body)) < CALLS:
            return [head + chunked(call(number)) + LAST]
        return [head + SHORT_ANSWER]

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb", buffering=1 << 16) as reader:
            while line := reader.readline():
                length = 0
                while (header := reader.readline()) not in (b"\r\n", b"\n", b""):
                    name, _, value = header.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                body = reader.read(length)
                began = time.monotonic()
                method, path = line.split()[:2]
                if path == b"/spent":
                    with self.lock:
                        parts, self.spent = [plain({"seconds": self.spent})], 0.0
                    began = time.monotonic()
                elif path == b"/members":
                    with self.lock:
                        parts, self.members = [plain({"members": self.members})], 0
                elif method == b"POST" and b"/messages" in path and b"count_tokens" not in path:
                    parts = self.answer(body)
                else:
                    parts = [plain({"input_tokens": 100})]
                for part in parts:
                    connection.sendall(part)
                if path != b"/spent":
                    with self.lock:
                        self.spent += time.monotonic() - began


def plain(value):
    body = json.dumps(value).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


def quietly(serve, connection):
    try:
        serve(connection)
    except OSError:
        pass  # the agent has exited


if __name__ == "__main__":
    model = Model()
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(server.getsockname()[1], flush=True)
    while True:
        peer, _ = server.accept()
        threading.Thread(target=quietly, args=(model.serve, peer), daemon=True).start()
