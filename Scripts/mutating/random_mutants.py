"""Random mutants: one operator, number or statement changed in a random line of Sources.

All of them are built at once. Each changed place checks which mutant is active. A file names that one, so a mutant
costs only the run of its tests:

  a < b        a <∂ b                          an operator that is `<=` while its mutant is active
  5            (mutant(7) ? 6 : 5)
  store(x)     if !mutant(9) { store(x) }

Mutants that don't build this way are skipped."""

import dataclasses
import glob
import os
import random
import re

SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
DIGITS = "∀∁∂∃∄∅∆∇∈∉"  # part of the operators' names
CODE = re.compile(
    r"""(?P<masked>\#+"(?:.|\n)*?"\#+ | \"{3}(?:.|\n)*?\"{3} | "(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*"
    | //[^\n]* | /\*(?:.|\n)*?\*/ | (?<=[=(,:\s])/(?=[^\s/*])(?:\\.|[^/\n])+/)""", re.VERBOSE)
OPERATOR = re.compile(r"(?<= )(?:<=?|>=?|==|!=|&&|\|\|)(?= )|(?<=[\w)\]])\.\.<(?=[\w(])")
NUMBER = re.compile(r"(?<![\w.$])(?:0x[0-9A-Fa-f]+|[0-9]+)(?![\w.]*\w)(?!\.[0-9])")
STATEMENT = re.compile(
    r"(?:(?:try|await|return|throw|continue|break)\b.*|(?:_ = )?[A-Za-z_][\w.!?]*\(.*\)|[\w.\[\]!?()]+ [-+*|&]?= .+|"
    r"\([\w., ]+\) = .+)$")
NO_STATEMENT = re.compile(r"(?:let|var|case|func|init|if|guard|while|for|switch|default|public|package|private|static|else|super\.init|self\.init)\b")


@dataclasses.dataclass
class Mutant:
    file: str  # from the root
    line: int  # from 0
    start: int
    end: int
    before: str
    after: str
    number: int = 0

    @property
    def module(self):
        return self.file.split("/")[1]

    @property
    def asking(self):
        return "mutant_" + self.module.replace("-", "_")

    @property
    def operator(self):
        return self.before + "".join(DIGITS[int(digit)] for digit in str(self.number))

    @property
    def built(self):
        """Returns the source text at this place while all mutants are built."""
        if self.before in SWAPPED or self.before == "..<":
            return self.operator
        if not self.after:
            return f"if !{self.asking}({self.number}) {{ {self.before} }}"
        return f"({self.asking}({self.number}) ? {self.after} : {self.before})"

    def __str__(self):
        change = f"{self.before}  →  {self.after}" if self.after else f"removed: {self.before}"
        return f"{self.file}:{self.line + 1}: {change}"


def mask(text):
    """Returns the text with every character of strings, comments and patterns replaced by `¤`."""
    return CODE.sub(lambda found: re.sub(r"[^\n]", "¤", found["masked"]), text)


def is_whole(code):
    depth = 0
    for character in code:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def statement(lines, number):
    """Returns the statement that fills this line of masked code. Returns None if there is none or if it spans
    several lines."""
    code = lines[number].strip()
    if not STATEMENT.match(code) or NO_STATEMENT.match(code) or not is_whole(code):
        return None
    before = next((line.strip() for line in reversed(lines[:number]) if line.strip().strip("¤")), "")
    after = next((line.strip() for line in lines[number + 1 :] if line.strip().strip("¤")), "")
    if not (before.endswith(("{", "}", ")", ":", " in", "¤")) or STATEMENT.match(before) or before.startswith("let ")):
        return None
    if after.startswith((".", "?", ":", "&&", "||", "+ ", "- ", "=", "else", "¤", "??", ")", "]", "|")):
        return None
    return code


def of_file(root, file):
    """Returns all mutants of a file, by line."""
    with open(os.path.join(root, file), encoding="utf-8") as source:
        text = source.read()
    lines, masked = text.split("\n"), mask(text).split("\n")
    found = {}
    for number, code in enumerate(masked):
        mutants = []
        if re.match(r"\s*([#@]|import |public import |package import |case .*(=|:$)|.*\b(operator|precedencegroup) )", code):
            continue
        for place in OPERATOR.finditer(code):
            after = SWAPPED.get(place[0], "...")
            mutants.append(Mutant(file, number, *place.span(), place[0], after))
        for place in NUMBER.finditer(code):
            after = hex(int(place[0], 16) + 1) if place[0].startswith("0x") else str(int(place[0]) + 1)
            mutants.append(Mutant(file, number, *place.span(), place[0], after))
        if statement(masked, number):
            start = len(code) - len(code.lstrip())
            mutants.append(Mutant(file, number, start, len(lines[number]), lines[number][start:], ""))
        if mutants:
            found[number] = mutants
    return found


def choose(root, count, seed):
    """Returns one random mutant in each of `count` random lines."""
    files = sorted(glob.glob("Sources/**/*.swift", recursive=True, root_dir=root))
    lines = [mutants for file in files for mutants in of_file(root, file).values()]
    chance = random.Random(seed)
    chosen = [chance.choice(mutants) for mutants in chance.sample(lines, min(count, len(lines)))]
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    return chosen


def helper(module, mutants, state):
    """Returns the source file that a module gets for its mutants."""
    ask = f"mutant_{module.replace('-', '_')}"
    parts = [
        "import Glibc",
        f"public let {ask}_active: Int = {{",
        '  if let text = getenv("MUTANT"), let number = Int(String(cString: text)) { return number }',
        f'  guard let file = fopen("{state}", "r") else {{ return 0 }}',
        "  defer { fclose(file) }",
        "  var bytes = [CChar](repeating: 0, count: 16)",
        "  return fgets(&bytes, 16, file) == nil ? 0 : Int(atol(bytes))",
        "}()",
        f"@inline(never) public func {ask}(_ number: Int) -> Bool {{ {ask}_active == number }}"]
    for mutant in mutants:
        name, before, after, on = mutant.operator, mutant.before, mutant.after, f"{ask}({mutant.number})"
        if before in ("&&", "||"):
            group = "LogicalConjunctionPrecedence" if before == "&&" else "LogicalDisjunctionPrecedence"
            parts += [
                f"infix operator {name}: {group}",
                f"public func {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{",
                f"  {on} ? try a {after} b() : try a {before} b()", "}"]
        elif before == "..<":
            parts += [
                f"infix operator {name}: RangeFormationPrecedence",
                f"public func {name} <T: Strideable>(a: T, b: T) -> Range<T> where T.Stride: SignedInteger {{",
                f"  {on} ? a..<b.advanced(by: 1) : a..<b", "}"]
        elif before in SWAPPED:
            kind = "Equatable" if before in ("==", "!=") else "Comparable"
            parts += [
                f"infix operator {name}: ComparisonPrecedence",
                f"public func {name} <T: {kind}>(a: T, b: T) -> Bool {{ {on} ? a {after} b : a {before} b }}"]
            if kind == "Equatable":
                parts += [
                    f"public func {name} <T>(a: T?, b: _OptionalNilComparisonType) -> Bool {{",
                    f"  {on} ? a {after} nil : a {before} nil", "}"]
    return "\n".join(parts) + "\n"


def changed_sources(root, mutants, state, original):
    """Returns the path and text of every source that differs while these mutants are built. `original` returns the
    unchanged text of a source."""
    changed = {}
    for mutant in sorted(mutants, key=lambda mutant: (mutant.file, mutant.line)):
        path = os.path.join(root, mutant.file)
        if path not in changed:
            changed[path] = original(path).split("\n")
        line = changed[path][mutant.line]
        changed[path][mutant.line] = line[: mutant.start] + mutant.built + line[mutant.end :]
    changed = {path: "\n".join(lines) for path, lines in changed.items()}
    for module in {mutant.module for mutant in mutants} | {"PhotoIngestion"}:
        own = [mutant for mutant in mutants if mutant.module == module]
        changed[os.path.join(root, "Sources", module, "RandomMutants.swift")] = helper(module, own, state)
    # A sandboxed decoder can't read the file, so its environment has the number of the active mutant.
    worker = os.path.join(root, "Sources/PhotoIngestion/Sandbox/Worker/DecoderWorker.swift")
    changed[worker] = changed.get(worker, original(worker)).replace('"LC_ALL=C",', '"LC_ALL=C", "MUTANT=\\(mutant_PhotoIngestion_active)",')
    return changed


def failing(root, mutants, output):
    """Returns the mutants that caused a failed build: those on the lines of its errors, or the nearest one before
    such a line, because some errors are reported at a later line."""
    places = {(path.removeprefix(root + "/"), int(line) - 1)
              for path, line in re.findall(r"^(/\S+\.swift):(\d+):\d+: error:", output, re.MULTILINE)}
    found = [mutant for mutant in mutants if (mutant.file, mutant.line) in places]
    for file, line in places:
        own = sorted((mutant for mutant in mutants if mutant.file == file), key=lambda mutant: mutant.line)
        if own and not any(mutant in found for mutant in own):
            found.append(next((mutant for mutant in reversed(own) if mutant.line <= line), own[0]))
    return found


def stages(root, mutant, targets):
    """Yields the test filters that could detect a mutant, the closest tests first."""
    module = mutant.module
    name, tests = os.path.basename(mutant.file)[:-6], os.path.join(root, "Tests", module + "Tests")
    names = []
    # `Y+Part.swift` is tested where `Y.swift` is.
    for tested in {name, name.split("+")[0]}:
        for path in glob.glob(f"{tests}/**/{tested}Tests.swift", recursive=True):
            with open(path, encoding="utf-8") as source:
                names += re.findall(r"^(?:@\w.*\s)?(?:final )?(?:struct|class|enum|actor) (\w+)", source.read(), re.MULTILINE)
    found = [rf"^{module}Tests\.({'|'.join(sorted(set(names)))})/"] if names else []
    own = module + "Tests"
    if own in targets:
        found.append(rf"^{own}\.")
    others = sorted(name for name, uses in targets.items() if module in uses and name not in (own, "HouseTests"))
    return found + [rf"^{name}\." for name in others]
