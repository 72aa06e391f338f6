from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.technician import Technician


T = TypeVar("T", bound="Technicians")


@_attrs_define
class Technicians:
    """A page of the technicians of your company.

    Attributes:
        api_version (str): The API version date of this response, as in the header `x-svc-api-version`.
        technicians (list[Technician]): The active ones first, then by name, then by `membershipId`.
        next_cursor (None | str): Send it as `cursor` to read the next page. Null on the last page.
        has_more (bool): True: there is a next page.
    """

    api_version: str
    technicians: list[Technician]
    next_cursor: None | str
    has_more: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        api_version = self.api_version

        technicians = []
        for technicians_item_data in self.technicians:
            technicians_item = technicians_item_data.to_dict()
            technicians.append(technicians_item)

        next_cursor: None | str
        next_cursor = self.next_cursor

        has_more = self.has_more

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "apiVersion": api_version,
                "technicians": technicians,
                "nextCursor": next_cursor,
                "hasMore": has_more,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.technician import Technician  # noqa: PLC0415

        d = dict(src_dict)
        api_version = d.pop("apiVersion")

        technicians = []
        _technicians = d.pop("technicians")
        for technicians_item_data in _technicians:
            technicians_item = Technician.from_dict(technicians_item_data)

            technicians.append(technicians_item)

        def _parse_next_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_cursor = _parse_next_cursor(d.pop("nextCursor"))

        has_more = d.pop("hasMore")

        technicians = cls(
            api_version=api_version,
            technicians=technicians,
            next_cursor=next_cursor,
            has_more=has_more,
        )

        technicians.additional_properties = d
        return technicians

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
