"""Laws, subjects, search, failures and verdicts; knows neither pytest nor a library under test."""
