"""Random mutants: one operator, number or statement changed in a line of Sources chosen by chance.

All of them are built at once. Each changed place asks which mutant is active, which a file names, so that
a mutant costs only the run of its tests:

  a < b        a <∂ b                          an operator that is `<=` while its mutant is active
  5            (mutant(7) ? 6 : 5)
  store(x)     if !mutant(9) { store(x) }

What does not build that way is skipped."""

import dataclasses
import glob
import os
import random
import re

SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
DIGITS = "∀∁∂∃∄∅∆∇∈∉"  # make the names of operators
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
        """What stands in the source while all mutants are built."""
        if self.before in SWAPPED or self.before == "..<":
            return self.operator
        if not self.after:
            return f"if !{self.asking}({self.number}) {{ {self.before} }}"
        return f"({self.asking}({self.number}) ? {self.after} : {self.before})"

    def __str__(self):
        change = f"{self.before}  →  {self.after}" if self.after else f"removed: {self.before}"
        return f"{self.file}:{self.line + 1}: {change}"


def mask(text):
    """The text with every character of strings, comments and patterns made `¤`."""
    return CODE.sub(lambda found: re.sub(r"[^\n]", "¤", found["masked"]), text)


def is_whole(code):
    depth = 0
    for character in code:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def statement(lines, number):
    """The statement that is this whole line of masked code; None when it is none or goes on elsewhere."""
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
    """All mutants of a file, by their lines."""
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
    """One mutant in each of `count` lines, all by chance."""
    files = sorted(glob.glob("Sources/**/*.swift", recursive=True, root_dir=root))
    lines = [mutants for file in files for mutants in of_file(root, file).values()]
    chance = random.Random(seed)
    chosen = [chance.choice(mutants) for mutants in chance.sample(lines, min(count, len(lines)))]
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    return chosen


def helper(module, mutants, state):
    """The source that a module gets for its mutants."""
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
    """Path and text of every source that differs while these mutants are built; `original` gives the text
    of a source as it is without any."""
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
    # The cage of a decoder reads no file: its environment says which mutant is active.
    worker = os.path.join(root, "Sources/PhotoIngestion/Sandbox/DecoderWorker.swift")
    changed[worker] = changed.get(worker, original(worker)).replace('"LC_ALL=C",', '"LC_ALL=C", "MUTANT=\\(mutant_PhotoIngestion_active)",')
    return changed


def failing(root, mutants, output):
    """The mutants that a failed build complains of: those of its lines, else the nearest before each, as an
    error about what is missing stands at the end."""
    places = {(path.removeprefix(root + "/"), int(line) - 1)
              for path, line in re.findall(r"^(/\S+\.swift):(\d+):\d+: error:", output, re.MULTILINE)}
    found = [mutant for mutant in mutants if (mutant.file, mutant.line) in places]
    for file, line in places:
        own = sorted((mutant for mutant in mutants if mutant.file == file), key=lambda mutant: mutant.line)
        if own and not any(mutant in found for mutant in own):
            found.append(next((mutant for mutant in reversed(own) if mutant.line <= line), own[0]))
    return found


def stages(root, mutant, targets):
    """The filters of tests that could notice, the nearest first."""
    module = mutant.module
    mirrored = os.path.join(root, mutant.file.replace("Sources/" + module, f"Tests/{module}Tests", 1)[:-6])
    names = []
    # `Y+Part.swift` is tested where `Y.swift` is.
    for path in {mirrored + "Tests.swift", mirrored.split("+")[0] + "Tests.swift"}:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as source:
                names += re.findall(r"^(?:@\w.*\s)?(?:final )?(?:struct|class|enum|actor) (\w+)", source.read(), re.MULTILINE)
    found = [rf"^{module}Tests\.({'|'.join(sorted(set(names)))})/"] if names else []
    own = module + "Tests"
    if own in targets:
        found.append(rf"^{own}\.")
    others = sorted(name for name, uses in targets.items() if module in uses and name not in (own, "HouseTests"))
    return found + [rf"^{name}\." for name in others]
