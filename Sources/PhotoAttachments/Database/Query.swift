/// Commands, and what their answers mean. Several queries are asked in one round trip
/// (`Transaction.ask`).
package struct Query<Value> {
  package let commands: [Command]
  /// What the answers mean, one for each command.
  package let value: (ArraySlice<CommandResult>) throws -> Value

  /// A query of one command.
  package init(
    _ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true,
    value: @escaping (CommandResult) throws -> Value
  ) {
    commands = [Command(sql, values, isRepeated: isRepeated)]
    self.value = { try value($0[$0.startIndex]) }
  }

  /// One whose answer is known.
  package init(known value: Value) {
    commands = []
    self.value = { _ in value }
  }

  /// Several queries as one.
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

  /// Any number of queries as one.
  package init<Part>(each parts: [Query<Part>]) where Value == [Part] {
    commands = parts.flatMap(\.commands)
    value = { answers in
      var rest = answers
      return try parts.map { try $0.next(of: &rest) }
    }
  }

  /// What this one's answers mean, the first of those that are left.
  private func next(of rest: inout ArraySlice<CommandResult>) throws -> Value {
    defer { rest = rest.dropFirst(commands.count) }
    return try value(rest.prefix(commands.count))
  }
}

extension Query<Void> {
  /// One whose answer says nothing.
  package init(_ sql: String, _ values: [FieldValue] = [], isRepeated: Bool = true) {
    self.init(sql, values, isRepeated: isRepeated) { _ in }
  }

  /// Commands whose answers say nothing.
  package init(asking commands: [Command]) {
    self.commands = commands
    value = { _ in }
  }

  /// Any number of them as one.
  package init(all parts: [Query<Void>]) { self.init(asking: parts.flatMap(\.commands)) }
}
