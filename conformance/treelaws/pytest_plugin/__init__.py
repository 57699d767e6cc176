"""Everything that knows pytest; `treelaws.plugin` is its face."""
