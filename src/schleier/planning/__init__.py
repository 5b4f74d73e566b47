"""Before anything is collected: how identifiable would the persons of a planned survey be?"""
