"""The suite run on many releases, and which laws each release keeps."""
