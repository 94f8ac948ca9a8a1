/// Commands and the interpretation of their results. Several queries are run in one round trip (`Transaction.fetch`).
package struct Query<Value> {
  package let commands: [Command]
  /// Converts the results, one per command, to the query's value.
  package let value: (ArraySlice<CommandResult>) throws -> Value

  /// Creates a query of one command.
  package init(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true,
    value: @escaping (CommandResult) throws -> Value
  ) {
    commands = [Command(sql, values, isRepeated: isRepeated)]
    self.value = { try value($0[$0.startIndex]) }
  }

  /// Creates a query whose value is already known. It runs no command.
  package init(known value: Value) {
    commands = []
    self.value = { _ in value }
  }

  /// Combines several queries of different types.
  package init<each Part>(
    _ parts: repeat Query<each Part>, value: @escaping (repeat each Part) throws -> Value
  ) {
    var commands: [Command] = []
    for part in repeat each parts { commands += part.commands }
    self.commands = commands
    self.value = { answers in
      var rest = answers
      return try value(repeat try (each parts).next(of: &rest))
    }
  }

  /// Combines any number of queries of one type.
  package init<Part>(each parts: [Query<Part>]) where Value == [Part] {
    commands = parts.flatMap(\.commands)
    value = { answers in
      var rest = answers
      return try parts.map { try $0.next(of: &rest) }
    }
  }

  /// Takes this query's results from the remaining ones and converts them.
  private func next(of rest: inout ArraySlice<CommandResult>) throws -> Value {
    defer { rest = rest.dropFirst(commands.count) }
    return try value(rest.prefix(commands.count))
  }
}

extension Query<Void> {
  /// Creates a query that ignores its result.
  package init(_ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true) {
    self.init(sql, values, isRepeated: isRepeated) { _ in }
  }

  /// Creates a query of several commands whose results are ignored.
  package init(asking commands: [Command]) {
    self.commands = commands
    value = { _ in }
  }

  /// Combines any number of such queries.
  package init(all parts: [Query<Void>]) { self.init(asking: parts.flatMap(\.commands)) }
}
