/// A store that a route needs and that can be checked.
enum ServerStore: String { case database, pictures }
