# Rails Active Storage with ruby-vips as a service that accepts uploads, for `puma`. All from Debian. A 201 means the
# same as with `web_peers.py`: the files and their folders are synced to disk, and rows record them.

require "action_controller/railtie"
require "active_record/railtie"
require "active_storage/engine"
require "active_storage/service/disk_service"
require "active_record/connection_adapters/sqlite3_adapter"
require "image_processing/vips"

FOLDER, QUALITY = ENV.fetch("PEER_FOLDER"), ENV.fetch("PEER_QUALITY").to_i
PROCESSED = ENV.fetch("PEER_WORK") == "processed"
SIZES = [[1280, 76], [320, 80]]
TYPES = %w[image/jpeg image/png image/gif image/webp image/heic image/heif]

class Peer < Rails::Application
  config.load_defaults 6.1
  config.eager_load = false
  config.secret_key_base = "peer"
  config.logger = Logger.new(nil)
  config.hosts.clear
  config.active_storage.service_configurations = { disk: { service: "Disk", root: File.join(FOLDER, "files") } }
  config.active_storage.service = :disk
  config.active_storage.variant_processor = :vips
  config.active_storage.analyzers = [] # they would start ImageMagick for each photo
  routes.append { post "/announcements/:announcement/photos", to: "photos#create" }
end

# Active Storage syncs nothing to disk.
ActiveStorage::Service::DiskService.prepend(Module.new do
  def upload(key, io, **options)
    super
    file = path_for(key)
    [file, *Pathname(file).dirname.ascend.take(3)].each { |path| File.open(path, &:fsync) }
  end
end)

# SQLite as with the other peers. Waiting for a lock in Ruby lets the other threads of the process work meanwhile.
ActiveRecord::ConnectionAdapters::SQLite3Adapter.prepend(Module.new do
  def configure_connection
    super
    @connection.busy_handler { sleep 0.002 }
    execute "PRAGMA journal_mode = WAL"
    execute "PRAGMA synchronous = FULL"
  end
end)

ENV["DATABASE_URL"] = "sqlite3:#{File.join(FOLDER, "catalog.sqlite")}?pool=8"
Vips.cache_set_max(0)
Rails.application.initialize!

class Photo < ActiveRecord::Base
  has_one_attached :file
end

class PhotosController < ActionController::API
  def create
    upload = params.require(:photo)
    type = Marcel::MimeType.for(upload.tempfile)
    return head :unsupported_media_type unless TYPES.include?(type)

    file = PROCESSED ? upright(upload.tempfile, type) : upload.tempfile
    photo = Photo.create!(announcement: params[:announcement], file: { io: file, filename: upload.original_filename })
    if PROCESSED
      SIZES.each do |side, quality|
        photo.file.variant(format: :jpg, resize_to_limit: [side, side], saver: { quality: quality, strip: true }).processed
      end
    end
    render json: { id: photo.id }, status: :created
  end

  private

  # Returns an upright sRGB file without metadata.
  def upright(source, type)
    animated = %w[image/gif image/webp].include?(type)
    lossless = type == "image/webp" && IO.binread(source.path, 52, 12).include?("VP8L")
    format = { "image/png" => "png", "image/gif" => "gif", "image/webp" => "webp" }.fetch(type, "jpg")
    # Debian's libvips writes no quality into PNG and GIF.
    quality = %w[jpg webp].include?(format) ? { quality: QUALITY } : {}
    ImageProcessing::Vips.source(source).loader(**(animated ? { n: -1 } : {})).convert(format)
      .custom { |image| image.get_typeof("icc-profile-data").zero? ? image : image.icc_transform("srgb", embedded: true) }
      .saver(strip: true, **quality, **(lossless ? { lossless: true } : {})).call
  end
end

ActiveRecord::Migration.verbose = false
ActiveRecord::MigrationContext.new(
  ActiveStorage::Engine.root.join("db/migrate"), ActiveRecord::Base.connection.schema_migration
).migrate
ActiveRecord::Schema.define { create_table(:photos, if_not_exists: true) { |table| table.text :announcement } }
ActiveRecord::Base.connection_handler.clear_all_connections! # SQLite's can't be used after a fork

run Rails.application
