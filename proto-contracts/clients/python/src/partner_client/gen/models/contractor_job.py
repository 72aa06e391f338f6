from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="ContractorJob")


@_attrs_define
class ContractorJob:
    """A sold job as an installer-contractor key sees it.

    Attributes:
        id (str): The id of the job.
        work_order_no (None | str): The seller's own number of the work order.
        address (str): Street and number.
        city (str): The city.
        state (str): The state, e.g. `TX`.
        zip_ (str): The ZIP code.
        stage (str): Progress of the job in the seller's terms, derived from the job's status and schedule. SOLD,
            SCHEDULED, IN_PROGRESS, BLOCKED, COMPLETE, CANCELLED, or a newer value.
        installer_note (None | str): All notes since the job was assigned to the installer company, oldest first, one
            per line.
        last_updated (datetime.datetime): ISO 8601 in UTC, always with milliseconds and `Z`.
        redacted (bool | Unset): True: personal data was erased from it on request. Names, phone and address are
            `[erased]`, notes are null. Absent otherwise.
    """

    id: str
    work_order_no: None | str
    address: str
    city: str
    state: str
    zip_: str
    stage: str
    installer_note: None | str
    last_updated: datetime.datetime
    redacted: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        work_order_no: None | str
        work_order_no = self.work_order_no

        address = self.address

        city = self.city

        state = self.state

        zip_ = self.zip_

        stage = self.stage

        installer_note: None | str
        installer_note = self.installer_note

        last_updated = self.last_updated.isoformat()

        redacted = self.redacted

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "workOrderNo": work_order_no,
                "address": address,
                "city": city,
                "state": state,
                "zip": zip_,
                "stage": stage,
                "installerNote": installer_note,
                "lastUpdated": last_updated,
            }
        )
        if redacted is not UNSET:
            field_dict["redacted"] = redacted

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        def _parse_work_order_no(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        work_order_no = _parse_work_order_no(d.pop("workOrderNo"))

        address = d.pop("address")

        city = d.pop("city")

        state = d.pop("state")

        zip_ = d.pop("zip")

        stage = d.pop("stage")

        def _parse_installer_note(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        installer_note = _parse_installer_note(d.pop("installerNote"))

        last_updated = datetime.datetime.fromisoformat(d.pop("lastUpdated"))

        redacted = d.pop("redacted", UNSET)

        contractor_job = cls(
            id=id,
            work_order_no=work_order_no,
            address=address,
            city=city,
            state=state,
            zip_=zip_,
            stage=stage,
            installer_note=installer_note,
            last_updated=last_updated,
            redacted=redacted,
        )

        contractor_job.additional_properties = d
        return contractor_job

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
