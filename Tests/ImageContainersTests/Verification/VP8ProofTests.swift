import Testing

@testable import ImageContainers

@Suite("The proof of a WebP: VP8")
struct VP8ProofTests {
  /// Returns the proof's error for a changed product; `nil` if the proof accounts for every byte.
  private func verdict(_ change: (inout VP8Product) -> Void = { _ in }) -> String? {
    var product = VP8Product()
    change(&product)
    let file = WebPBuilder.riff(WebPBuilder.chunk("VP8 ", product.bytes))
    do throws(ProofError) {
      let verified = try ContainerProof.verify(file, as: .webp)
      #expect((verified.width, verified.height) == (product.columns * 16, product.rows * 16))
      return nil
    } catch { return error.problem }
  }

  @Test("Products are verified")
  func products() {
    #expect(verdict() == nil)
    #expect(verdict { $0.rows = 3 } == nil)
    #expect(verdict { $0.segments = .init() } == nil)
  }

  @Test("The first partition has at least eight bytes after the header", arguments: 0...8)
  func bytesBehindHeader(_ count: Int) throws {
    func change(_ product: inout VP8Product) {
      product.columns = 1
      product.bytesBehindHeader = count
    }
    #expect(verdict(change) == (count < 8 ? "webp-vp8-short" : nil))
    var product = VP8Product()
    change(&product)
    var whole = product
    whole.bytesBehindHeader = 8
    #expect(VP8Frame.cleaned(product.bytes[...]) == whole.bytes)
    #expect(VP8Frame.cleaned(whole.bytes[...]) == whole.bytes)
  }

  @Test("Partitions that no row reads are empty, except for the byte that libwebp requires")
  func partitions() {
    func verdict(_ bits: Int, rows: Int, _ idle: [Int: [UInt8]] = [:]) -> String? {
      self.verdict { ($0.partitionBits, $0.rows, $0.idle) = (bits, rows, idle) }
    }
    #expect(verdict(1, rows: 1) == nil)
    #expect(verdict(1, rows: 2) == nil)
    #expect(verdict(2, rows: 2) == nil)
    #expect(verdict(3, rows: 9) == nil)
    for text: [UInt8] in [[0x41], [0, 0], Array("hidden".utf8)] {
      #expect(verdict(1, rows: 1, [1: text]) == "webp-vp8-idle-partition")
      #expect(verdict(2, rows: 2, [3: text]) == "webp-vp8-idle-partition")
      #expect(verdict(2, rows: 2, [2: text]) == "webp-vp8-idle-partition")
    }
    #expect(verdict(1, rows: 1, [1: []]) == "webp-vp8-idle-partition")
    #expect(verdict(2, rows: 2, [2: [0]]) == "webp-vp8-idle-partition")
  }

  @Test("If several ends decode alike, only the lowest is accepted, and the cleaner writes it")
  func ends() throws {
    let product = VP8Product()
    let bytes = product.bytes
    var same = 0
    for change in 1...255 as ClosedRange<UInt8> {
      var changed = bytes
      changed[changed.count - 1] &+= change
      let cleaned = try #require(VP8Frame.cleaned(changed[...]))
      let file = WebPBuilder.riff(WebPBuilder.chunk("VP8 ", changed))
      let verified = try? ContainerProof.verify(file, as: .webp)
      // Every other accepted file shows another picture.
      #expect((verified != nil) == (cleaned == changed), "\(change)")
      if cleaned == bytes { same += 1 }
    }
    #expect(same > 0)
    #expect(VP8Frame.cleaned(bytes[...]) == bytes)
  }

  @Test("A partition that begins outside the first range is not read by any decoder")
  func outsideTheRange() {
    var bytes = VP8Product().bytes
    let first = 10
    bytes[first] = 255
    #expect(VP8Frame.cleaned(bytes[...]) == nil)
    let file = WebPBuilder.riff(WebPBuilder.chunk("VP8 ", bytes))
    #expect(throws: ProofError.self) { try ContainerProof.verify(file, as: .webp) }

    // Tests the only partition of tokens in the same way, with bools that are all ones.
    var tokens = VP8Product().bytes
    let size = Int(tokens[0]) | Int(tokens[1]) << 8 | Int(tokens[2]) << 16
    for index in (10 + (size >> 5))..<tokens.count { tokens[index] = 255 }
    #expect(VP8Frame.cleaned(tokens[...]) == nil)
    #expect(throws: ProofError.self) {
      try ContainerProof.verify(
        WebPBuilder.riff(WebPBuilder.chunk("VP8 ", tokens)), as: .webp)
    }
  }

  @Test("Unused segments carry no information")
  func segments() {
    func verdict(_ change: (inout VP8Product.Segments) -> Void) -> String? {
      self.verdict {
        var segments = VP8Product.Segments()
        change(&segments)
        $0.segments = segments
      }
    }
    // Segment 3 is unused, so its quantizer must be 0 or that of another segment.
    #expect(verdict { $0.map = [0, 1, 2, 2] } == "webp-vp8-segments")
    for value in [0, 1, 3] {
      let isFine = verdict {
        $0.map = [0, 1, 2, 2]
        $0.quantizers[3] = value
      }
      #expect(isFine == nil)
    }
    // Segments 2 and 3 are unused, so the probability that separates them must be absent.
    func idle(_ map: [Int], _ quantizers: [Int], _ place: Int, _ probability: Int?) -> String? {
      verdict {
        $0.map = map
        $0.quantizers = quantizers
        $0.probabilities[place] = probability
      }
    }
    #expect(idle([0, 1, 0, 1], [1, 2, 0, 0], 2, 90) == "webp-vp8-segments")
    #expect(idle([0, 1, 0, 1], [1, 2, 0, 0], 2, nil) == nil)
    // Segments 0 and 1 are unused.
    #expect(idle([2, 3, 2, 3], [0, 0, 1, 2], 1, 90) == "webp-vp8-segments")
    #expect(idle([2, 3, 2, 3], [0, 0, 1, 2], 1, nil) == nil)
    #expect(verdict { $0.hasValues = false } == "webp-vp8-segments")
    // Without a map, all macroblocks are in segment 0.
    #expect(verdict { $0.hasMap = false } == "webp-vp8-segments")
    let single = verdict {
      $0.hasMap = false
      $0.quantizers = [5, 0, 0, 0]
    }
    #expect(single == nil)
  }

  @Test("Filter levels of unused segments, or without a filter, carry no information")
  func levels() {
    func verdict(_ level: Int, _ levels: [Int], map: [Int] = [0, 1, 2, 3]) -> String? {
      self.verdict {
        $0.filterLevel = level
        $0.segments = .init(filterLevels: levels, map: map)
        if !map.contains(3) { $0.segments?.quantizers[3] = 0 }
      }
    }
    #expect(verdict(9, [1, 2, 3, 4]) == nil)
    #expect(verdict(0, [1, 2, 3, 4]) == "webp-vp8-filter")
    #expect(verdict(9, [1, 2, 3, 4], map: [0, 1, 2, 2]) == "webp-vp8-segments")
    #expect(verdict(9, [1, 2, 3, 3], map: [0, 1, 2, 2]) == nil)
  }

  @Test("With absolute values in segments, the frame's values are 0 or one of theirs")
  func absoluteValues() {
    func verdict(quantizer: Int, level: Int = 0, _ levels: [Int] = [0, 0, 0, 0]) -> String? {
      self.verdict {
        ($0.quantizer, $0.filterLevel) = (quantizer, level)
        $0.segments = .init(areAbsolute: true, filterLevels: levels)
      }
    }
    #expect(verdict(quantizer: 10) == "webp-vp8-quantizer")
    #expect(verdict(quantizer: 0) == nil)
    #expect(verdict(quantizer: 3) == nil)
    #expect(verdict(quantizer: 3, level: 9, [1, 2, 3, 4]) == "webp-vp8-filter")
    #expect(verdict(quantizer: 3, level: 4, [1, 2, 3, 4]) == nil)
    #expect(verdict(quantizer: 3, level: 1, [5, 2, 3, 4]) == nil)
  }

  @Test("Only probabilities of used tokens are changed")
  func probabilities() {
    // All blocks end at once, which the first probability of three sets decides.
    let used = [24 * 11, 3 * 11, 48 * 11]
    for place in used { #expect(verdict { $0.changed = [place: 77] } == nil) }
    for place in [0, 1, 24 * 11 + 1, 3 * 11 + 10, 48 * 11 + 4, 72 * 11, 1_055] {
      #expect(verdict { $0.changed = [place: 77] } == "webp-vp8-idle-probability")
      #expect(verdict { $0.changed = [used[0]: 5, place: 65] } == "webp-vp8-idle-probability")
    }
  }

  @Test(
    "Patterns brighter than white are rejected",
    arguments: [
      // With the largest steps, a DC is worth 4.9 of luma and each pattern 6.9, so 231 is almost white.
      ([[21], [], [], []], true), ([[21], [0, -1], [-21], []], true), ([[22], [-1], [], []], true),
      ([[24], [0, 1], [0, -1, 1], []], false), ([[24], [], [0, 1], []], false),
      ([[-24], [0, 1], [0, -1, 1], []], false),
    ] as [([[Int]], Bool)])
  func hiddenDetail(lumaDC: [[Int]], isShown: Bool) throws {
    var product = VP8Product()
    product.quantizer = 127
    product.lumaDC = lumaDC
    let bytes = WebPBuilder.riff(WebPBuilder.chunk("VP8 ", product.bytes))
    #expect(try WebPContainer.clean(bytes) == bytes)
    do throws(ProofError) {
      _ = try ContainerProof.verify(bytes, as: .webp)
      #expect(isShown)
    } catch {
      #expect(error.problem == "webp-vp8-detail")
      #expect(!isShown)
    }
  }
}
