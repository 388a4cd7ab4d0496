"""Asks a gateway over gql with the schema that it reads first: gql_client.py URL ACCESS_TOKEN. Prints what it saw as JSON."""

import json
import sys

from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.requests import RequestsHTTPTransport
from graphql import GraphQLError

url, token = sys.argv[1:3]
transport = RequestsHTTPTransport(url=url, headers={"Authorization": f"Bearer {token}"})
users = gql("query Users($size: Int) { users(pageSize: $size) { totalCount items { username } } }")
users.variable_values = {"size": 5}
seen = {}

with Client(transport=transport, fetch_schema_from_transport=True) as session:
    seen["users"] = session.execute(users)["users"]
    try:
        session.execute(gql("{ users { nothing } }"))
    except GraphQLError as error:
        seen["refused by the schema"] = error.message
    try:
        session.execute(gql("{ options { items { key value } } logs { items { id } } }"))
    except TransportQueryError as error:
        seen["refused by the server"] = [one["extensions"]["code"] for one in error.errors]
        seen["data beside it"] = error.data["options"] is not None
print(json.dumps(seen))
