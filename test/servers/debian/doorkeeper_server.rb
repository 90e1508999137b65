# Doorkeeper on a free port of this machine: prints the port, then serves. With OPENID, which is an issuer, it has its OpenID
# extension and listens on the issuer's port.
#
# Besides Doorkeeper's own endpoints below /oauth/ it has two for tests: POST /test/issue makes a token with Doorkeeper's
# models, and POST /test/active looks for one in its table.
ENV["RAILS_ENV"] = "test"
require "json"
require "webrick"
require "rack"
require "rack/handler/webrick"
require "logger"
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "doorkeeper"
require "doorkeeper/openid_connect" if ENV["OPENID"]

folder = ARGV.fetch(0)
Dir.mkdir(File.join(folder, "config"))
database = { "test" => { "adapter" => "sqlite3", "database" => File.join(folder, "doorkeeper.db"), "timeout" => 10_000 } }
File.write(File.join(folder, "config", "database.yml"), database.to_json)

class Server < Rails::Application
  config.root = ARGV.fetch(0)
  config.eager_load = false
  config.secret_key_base = "of a test"
  config.hosts.clear
  config.logger = Logger.new(File.join(ARGV.fetch(0), "log"))
  config.action_dispatch.show_exceptions = true
end

class User < ActiveRecord::Base; end

Doorkeeper.configure do
  orm :active_record
  resource_owner_authenticator { User.first }
  default_scopes :reports
  optional_scopes :openid
  use_refresh_token
  access_token_expires_in 3600
end

if ENV["OPENID"]
  Doorkeeper::OpenidConnect.configure do
    issuer ENV["OPENID"]
    signing_key OpenSSL::PKey::RSA.new(2048).to_pem
    subject_types_supported [:public]
    resource_owner_from_access_token { |token| User.find_by(id: token.resource_owner_id) }
    subject { |user, _application| user.id.to_s }
  end
end

class TestController < ActionController::API
  def issue
    application = Doorkeeper::Application.find_by!(uid: params[:client_id])
    token = Doorkeeper::AccessToken.create!(
      application_id: application.id, resource_owner_id: User.first.id, expires_in: 3600, scopes: "openid reports",
      use_refresh_token: true, created_at: Time.now - (%w[old expired].include?(params[:kind]) ? 7200 : 0)
    )
    render json: { token: %w[refresh old].include?(params[:kind]) ? token.refresh_token : token.token }
  end

  def active
    tokens = Doorkeeper::AccessToken.where(revoked_at: nil)
    access = tokens.find_by(token: params[:token])
    render json: { active: access ? !access.expired? : tokens.exists?(refresh_token: params[:token]) }
  end
end

Server.initialize!
Server.routes.draw do
  use_doorkeeper_openid_connect if ENV["OPENID"]
  use_doorkeeper { skip_controllers :applications, :authorized_applications }
  post "test/issue" => "test#issue"
  post "test/active" => "test#active"
end

ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table(:users) { |t| t.string :name }
  create_table :oauth_applications do |t|
    t.string :name, null: false
    t.string :uid, null: false, index: { unique: true }
    t.string :secret, null: false
    t.text :redirect_uri
    t.string :scopes, null: false, default: ""
    t.boolean :confidential, null: false, default: true
    t.timestamps
  end
  create_table :oauth_access_grants do |t|
    t.references :resource_owner, null: false
    t.references :application, null: false
    t.string :token, null: false
    t.integer :expires_in, null: false
    t.text :redirect_uri, null: false
    t.datetime :created_at, null: false
    t.datetime :revoked_at
    t.string :scopes, null: false, default: ""
  end
  create_table :oauth_access_tokens do |t|
    t.references :resource_owner
    t.references :application, null: false
    t.string :token, null: false, index: { unique: true }
    t.string :refresh_token, index: true
    t.integer :expires_in
    t.datetime :revoked_at
    t.datetime :created_at, null: false
    t.string :scopes
    t.string :previous_refresh_token, null: false, default: ""
  end
  create_table :oauth_openid_requests do |t|
    t.references :access_grant, null: false
    t.string :nonce, null: false
  end
end

User.create!(name: "octavia")
JSON.parse(ARGV.fetch(1)).each do |each|
  Doorkeeper::Application.create!(
    name: each["id"], uid: each["id"], secret: each["secret"], redirect_uri: "https://app.example.com/callback"
  )
end

server = WEBrick::HTTPServer.new(
  BindAddress: "127.0.0.1", Port: URI(ENV["OPENID"] || "http://any:0").port, AccessLog: [], Logger: WEBrick::Log.new(File.join(folder, "webrick.log"))
)
server.mount("/", Rack::Handler::WEBrick, Server)
puts server.config[:Port]
$stdout.flush
server.start
