import Foundation
import Testing

@testable import PetSpotServer

@Suite("Files of pages")
struct AssetsTests {
  @Test("A script loses its comments and no line of code")
  func comments() {
    let script = """
      /** What it does.
       * And why.
       */
      const area = width
        * height; // stays
      // goes
        /** One line. */
      /** Before code. */ run(area);
      const text = `
      * an item
      `;
      """
    let bare = """
      const area = width
        * height; // stays
      /** Before code. */ run(area);
      const text = `
      * an item
      `;
      """
    #expect(String(decoding: Assets.withoutComments(Data(script.utf8)), as: UTF8.self) == bare)
  }
}
