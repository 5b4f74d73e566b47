"""First contact: a file nobody described becomes a draft of its schema, its hierarchies and a recipe."""
