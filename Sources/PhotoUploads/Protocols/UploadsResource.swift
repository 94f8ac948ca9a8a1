import HTTPTypes
package import HummingbirdCore
import PhotoAttachments

/// The URLs of resumable uploads. Each request selects its protocol by its fields.
package struct UploadsResource<Context: UploadRequest>: Sendable {
  let tus: TusResource<Context>
  package let rufh: RufhResource<Context>

  package init(
    acts: UploadActs, owner: @escaping @Sendable (Context) async throws -> UploadOwner
  ) {
    tus = TusResource(acts: acts, owner: owner)
    rufh = RufhResource(acts: acts, owner: owner)
  }

  /// `OPTIONS`: returns the supported protocols.
  @Sendable package func options(_ context: Context) async throws -> Response {
    var response = Tus.options(limit: rufh.acts.rules.limits.length)
    for field in rufh.offer { response.headers[field.name] = field.value }
    return response
  }

  /// `POST`: creates an upload.
  @Sendable package func create(_ context: Context) async throws -> Response {
    if let answer = try await rufh.create(context) { return answer }
    return try await tus.create(context)
  }

  /// `HEAD`: returns the number of saved bytes. If that is the length, the photo is attached.
  @Sendable package func sendOffset(_ context: Context) async throws -> Response {
    guard let spoken = Rufh(context.request.headers) else {
      return try await tus.sendOffset(context)
    }
    return try await rufh.sendOffset(context, spoken)
  }

  /// `PATCH`: adds bytes, and creates the photo if they are the last ones.
  @Sendable package func append(_ context: Context) async throws -> Response {
    guard let spoken = Rufh(context.request.headers) else { return try await tus.append(context) }
    return try await rufh.append(context, spoken)
  }

  /// `DELETE`: ends the upload and deletes it.
  @Sendable package func remove(_ context: Context) async throws -> Response {
    guard let spoken = Rufh(context.request.headers) else { return try await tus.remove(context) }
    return try await rufh.remove(context, spoken)
  }
}
