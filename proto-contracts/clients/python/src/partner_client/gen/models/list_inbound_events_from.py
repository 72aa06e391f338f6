from typing import Literal

ListInboundEventsFrom = Literal["end"]

LIST_INBOUND_EVENTS_FROM_VALUES: set[ListInboundEventsFrom] = {
    "end",
}


def check_list_inbound_events_from(value: str) -> ListInboundEventsFrom:
    if value in LIST_INBOUND_EVENTS_FROM_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {LIST_INBOUND_EVENTS_FROM_VALUES!r}"
    )
