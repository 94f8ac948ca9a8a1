/// The database, or the store of picture files. Routes name the stores that they need, and `StoreChecks` checks them.
enum ServerStore: String { case database, pictures }
