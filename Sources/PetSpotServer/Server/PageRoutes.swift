import HTTPTypes
import PhotoUploads

extension ServerParts {
  /// Creates the routes of all pages, and of the files that they load.
  func makePageRoutes() -> [Route] {
    let landing = LandingPage(stores: stores, gates: gates)
    let list = AnnouncementsPage(stores: stores, gates: gates)
    let listFeed = AnnouncementFeed(stores: stores, gates: gates)
    let one = AnnouncementPage(stores: stores, limits: limits)
    let owner = OwnerPage(
      stores: stores, gates: gates, limits: limits, problemLog: problemLog, watch: watch)
    let lostCode = LostCodePage(stores: stores, limits: limits)
    let report = ReportPage(stores: stores, limits: limits)
    let chip = ChipPage(stores: stores, limits: limits)
    let description = DescriptionPage(stores: stores, limits: limits)
    let contact = ContactPage(stores: stores, limits: limits)
    let review = ReviewPage(stores: stores, limits: limits)
    let summary = SummaryPage(stores: stores, limits: limits)
    let feed = PhotoStatusFeed(stores: stores, receiving: uploads.receiving, streams: streams)
    let photo = PhotoPage(
      stores: stores, gates: gates, limits: limits, feed: feed,
      pictures: PictureResponder(photos: stores.photos, watch: watch), problemLog: problemLog)
    let uploads = UploadsResource(acts: uploads, owner: photo.uploadOwner)
    let needs: Set<ServerStore> = [.database, .pictures]
    return [
      Route.page(.get, "/", landing.showPage),
      Route.page(.get, "/announcements", list.showPage),
      Route.page(.get, "/announcements.atom", listFeed.showAtom),
      Route.page(.get, "/announcements.json", listFeed.showJSON),
      Route.page(.get, "/announcements/{id}", one.showPage),
      Route.page(.get, "/a/{code}", one.follow),
      Route.page(.get, "/announcements/{id}/poster", PosterPage(stores: stores).showPage),
      Route.page(.get, "/announcements/{id}/owner", owner.showPage),
      Route.page(.post, "/announcements/{id}/owner", owner.receive),
      Route.page(.get, "/announcements/{id}/owner/lost-code", lostCode.showPage),
      Route.page(.post, "/announcements/{id}/owner/lost-code", lostCode.receive),
      Route.page(.post, "/announcements/{id}/owner/close", owner.close),
      Route.page(.post, "/announcements/{id}/owner/reopen", owner.reopen),
      Route.page(.post, "/announcements/{id}/owner/erase", owner.erase),
      Route.page(.get, "/report", report.showCurrentStep),
      Route.page(.post, "/report", report.beginAnew),
      Route.page(.get, "/report/chip", chip.showPage),
      Route.page(.post, "/report/chip", chip.receive),
      Route(.post, "/report/chip/typed", chip.saveTyped),
      Route.page(.get, "/report/photo", needs: needs, photo.showPage),
      Route.page(.post, "/report/photo", needs: needs, photo.receive),
      Route.page(.post, "/report/photo/remove", photo.remove),
      Route.page(.get, "/report/photo/preview", takesTurn: false, needs: needs, photo.preview),
      Route(.get, "/report/photo/status", takesTurn: false, needs: needs, feed.streamStatus),
      Route(.options, "/report/photo/uploads", uploads.options),
      Route(.post, "/report/photo/uploads", needs: needs, uploads.create),
      Route(.options, "/report/photo/uploads/{token}", uploads.options),
      Route(.head, "/report/photo/uploads/{token}", uploads.sendOffset),
      Route(.patch, "/report/photo/uploads/{token}", needs: needs, uploads.append),
      Route(.delete, "/report/photo/uploads/{token}", uploads.remove),
      Route.page(.get, "/report/description", description.showPage),
      Route.page(.post, "/report/description", description.receive),
      Route(.post, "/report/description/typed", description.saveTyped),
      Route.page(.get, "/report/contact", contact.showPage),
      Route.page(.post, "/report/contact", contact.receive),
      Route(.post, "/report/contact/typed", contact.saveTyped),
      Route.page(.get, ReviewPage.path, needs: needs, review.showPage),
      Route.page(.post, ReviewPage.path, needs: needs, review.publish),
      Route.page(.get, "/report/summary", summary.showPage),
      Route.page(.post, "/report/summary", summary.close),
      Route.page(.get, PrivacyPage.path, PrivacyPage().showPage),
      Route.page(.post, "/language", LanguagePage(limits: limits).choose),
      Route(.get, "/assets/{name}", takesTurn: false, needs: [], Assets.sendAsset),
    ] + SiteFiles().routes
  }
}
