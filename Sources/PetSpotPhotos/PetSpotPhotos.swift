// Everything that a host needs for photos in a folder, in one import. PostgreSQL and object stores are modules of their
// own.
@_exported public import ImageContainers
@_exported public import PhotoAttachments
@_exported public import PhotoIngestion
@_exported public import PhotoModel
@_exported public import PhotoStoreSQLite
