from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.equipment_item import EquipmentItem
    from ..models.supplier_source import SupplierSource


T = TypeVar("T", bound="JobScope")


@_attrs_define
class JobScope:
    """What is to be installed.

    Attributes:
        package_name (str): The name of the package that the customer bought.
        system_type (str): The kind of system, e.g. `HEAT_PUMP`.
        equipment (list[EquipmentItem]): The equipment to install.
        accessories (list[EquipmentItem]): The accessories to install.
        supplier_sources (list[SupplierSource]): Where the material comes from.
        scope_version (int): Increases with each change of the scope.
    """

    package_name: str
    system_type: str
    equipment: list[EquipmentItem]
    accessories: list[EquipmentItem]
    supplier_sources: list[SupplierSource]
    scope_version: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        package_name = self.package_name

        system_type = self.system_type

        equipment = []
        for equipment_item_data in self.equipment:
            equipment_item = equipment_item_data.to_dict()
            equipment.append(equipment_item)

        accessories = []
        for accessories_item_data in self.accessories:
            accessories_item = accessories_item_data.to_dict()
            accessories.append(accessories_item)

        supplier_sources = []
        for supplier_sources_item_data in self.supplier_sources:
            supplier_sources_item = supplier_sources_item_data.to_dict()
            supplier_sources.append(supplier_sources_item)

        scope_version = self.scope_version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "packageName": package_name,
                "systemType": system_type,
                "equipment": equipment,
                "accessories": accessories,
                "supplierSources": supplier_sources,
                "scopeVersion": scope_version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.equipment_item import EquipmentItem  # noqa: PLC0415
        from ..models.supplier_source import SupplierSource  # noqa: PLC0415

        d = dict(src_dict)
        package_name = d.pop("packageName")

        system_type = d.pop("systemType")

        equipment = []
        _equipment = d.pop("equipment")
        for equipment_item_data in _equipment:
            equipment_item = EquipmentItem.from_dict(equipment_item_data)

            equipment.append(equipment_item)

        accessories = []
        _accessories = d.pop("accessories")
        for accessories_item_data in _accessories:
            accessories_item = EquipmentItem.from_dict(accessories_item_data)

            accessories.append(accessories_item)

        supplier_sources = []
        _supplier_sources = d.pop("supplierSources")
        for supplier_sources_item_data in _supplier_sources:
            supplier_sources_item = SupplierSource.from_dict(supplier_sources_item_data)

            supplier_sources.append(supplier_sources_item)

        scope_version = d.pop("scopeVersion")

        job_scope = cls(
            package_name=package_name,
            system_type=system_type,
            equipment=equipment,
            accessories=accessories,
            supplier_sources=supplier_sources,
            scope_version=scope_version,
        )

        job_scope.additional_properties = d
        return job_scope

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
