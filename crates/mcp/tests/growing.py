"""A server whose list of tools grows: `grow` adds a tool and says that the list has changed."""

import json
import sys

tools = ["grow"]


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    request = json.loads(line)
    method, params = request.get("method"), request.get("params", {})
    if "id" not in request:
        continue
    if method == "initialize":
        result = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "growing", "version": "1"},
        }
    elif method == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in tools]}
    elif method == "tools/call":
        if params["name"] == "grow":
            tools.append(f"grown_{len(tools)}")
            send(method="notifications/tools/list_changed")
        said = {"tool": params["name"], "key": params.get("_meta", {}).get("stepwell/idempotencyKey")}
        result = {"content": [{"type": "text", "text": json.dumps(said)}]}
    else:
        send(id=request["id"], error={"code": -32601, "message": f"no {method} here"})
        continue
    send(id=request["id"], result=result)
