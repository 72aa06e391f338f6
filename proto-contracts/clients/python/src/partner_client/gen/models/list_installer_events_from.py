from typing import Literal

ListInstallerEventsFrom = Literal["end"]

LIST_INSTALLER_EVENTS_FROM_VALUES: set[ListInstallerEventsFrom] = {
    "end",
}


def check_list_installer_events_from(value: str) -> ListInstallerEventsFrom:
    if value in LIST_INSTALLER_EVENTS_FROM_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {LIST_INSTALLER_EVENTS_FROM_VALUES!r}"
    )
