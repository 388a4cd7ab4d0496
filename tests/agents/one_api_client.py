"""Drives one-api-cli, a client of one-api, against a gateway: one_api_client.py URL ACCESS_TOKEN. Prints what it saw as JSON."""

import json
import sys

from loguru import logger
from one_api_cli import Channel, OneAPI, User

logger.remove()
url, token = sys.argv[1:3]
api = OneAPI(url, token)
seen = {"valid": api.is_valid()}

for index in range(12):
    made = api.create_channel(name=f"cli {index}", key="sk-x", base_url="https://a.example", models="gpt-4o")
    seen["newest"] = made.name
seen["channels"] = len(api.get_channels())
seen["second page"] = [channel.name for channel in api.get_channels(page=1)]
channel = Channel(made.id, api)
seen["key"] = channel.key
seen["saved"] = channel.update(name="renamed", priority=3)
seen["renamed"] = Channel(made.id, api).name

user = api.create_user("alice", "Alice", "a password", quota=5)
seen["users"] = [one.username for one in api.get_users()]
seen["granted"] = [user.update(quota=777), User("alice", api).quota]
# The object keeps what was loaded before the grant.
seen["granted again"] = [user.update(display_name="Alice 2"), User("alice", api).quota]
seen["deleted"] = api.delete_user("alice")
print(json.dumps(seen))
