//! The MCP request handler (`McpHandler`): lists the tools of a profile and runs each tool call as one operation. It
//! holds no state between requests but which texts its replies had (`call_window`) and who is to be told of suggestions
//! (`suggestion_updates`), so both eras of the protocol are the same to it.

use super::ExpansionRule;
use super::call_observer::CallObserver;
use super::call_window::{CallWindow, ReplyNotes};
use super::coerce_arguments::coerce_to_schema;
use super::outline::{join_alternatives, outline_schema};
use super::profile::{ProfileAction, ProfileTool, ToolProfile};
use super::render::ReplyForm;
use super::{any_operation, prompts, render, resources, schema, suggestion_updates};
use crate::booking::note_dispatch;
use crate::compose::App;
use crate::errors::{AppError, ErrorClass};
use crate::metrics::{Door, run_counted};
use crate::ops::{AnyOperation, OperationAnswer, OperationCall, OperationFailure, OperationKind};
use crate::own_command;
use crate::suggestion::nearest_word;
use engine::{CallDoor, CallFacts, CallSource, ReplacedText, SeenFinder, ValueFormula};
use futures::FutureExt;
use model::TokenCount;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Lists depend on nothing but the binary and its profile.
pub(super) const TTL_MS: u64 = 3_600_000;

/// A tool that declares its replies says as much of them as it can for this.
const MAX_TOOL_TOKENS: TokenCount = TokenCount(330);

/// Serves the tools of one profile.
#[derive(Clone)]
pub(super) struct McpHandler {
    app: Arc<App>,
    profile: &'static ToolProfile,
    tools: Arc<[Tool]>,
    /// The end of all work.
    stop: CancellationToken,
    /// Who may expand summaries.
    expansion: ExpansionRule,
    /// The session of a client that has a process of its own, for the ledger.
    session: Option<String>,
    notes: Arc<ReplyNotes>,
    /// What tells a client of the older era of suggestions, where it subscribed.
    updates: Arc<Mutex<Option<AbortOnDropHandle<()>>>>,
}

impl McpHandler {
    pub(super) fn new(app: Arc<App>, profile: &'static ToolProfile, stop: CancellationToken) -> Self {
        Self {
            app,
            profile,
            tools: profile_tools(profile).into(),
            stop,
            expansion: ExpansionRule::Everybody,
            session: None,
            notes: Arc::default(),
            updates: Arc::default(),
        }
    }

    pub(super) fn with_expansion(self, expansion: ExpansionRule) -> Self {
        Self { expansion, ..self }
    }

    /// The same for a client that has a process of its own: all its calls are one session.
    pub(super) fn with_session(self, session: String) -> Self {
        Self { session: Some(session), ..self }
    }

    /// Who calls, for the ledger.
    fn call_source(&self, tool: &str, context: &RequestContext<RoleServer>) -> CallSource {
        let of_transport = || {
            let parts = context.extensions.get::<axum::http::request::Parts>()?;
            let session = parts.headers.get("mcp-session-id")?.to_str().ok()?;
            Some(session.to_owned())
        };
        let agent = context.client_info().map(|client| client.name);
        CallSource {
            door: CallDoor::Mcp,
            session: self.session.clone().or_else(of_transport),
            agent,
            tool: tool.to_owned(),
        }
    }

    /// Notes for the ledger that a client was told of the tools: every session pays for their names and schemas.
    fn note_schemas(&self, context: &RequestContext<RoleServer>) {
        let source = self.call_source("tools/list", context);
        // Without a session it would be counted again and again.
        if source.session.is_none() {
            return;
        }
        let shown = format!("{}{}", self.profile.instructions, json!(*self.tools));
        let replaced = ReplacedText::Text { formula: ValueFormula::Schemas, whole: None };
        let facts = CallFacts { replaced, ..CallFacts::default() };
        note_dispatch(&self.app, source, "tools/list", facts, shown, Duration::ZERO);
    }

    /// Refuses an expansion without a grant, where only callers with one may expand.
    fn check_expansion(&self, operation: &str, params: &Value) -> Result<(), AppError> {
        let is_refused =
            self.expansion == ExpansionRule::UnderGrant && operation == "expand" && params["grant"].is_null();
        if !is_refused {
            return Ok(());
        }
        let message = "summaries are expanded only under a grant";
        let hint = "ask with recall, or hand the expansion to a subagent with a grant (operation `grant`)";
        Err(AppError::new(ErrorClass::Forbidden, "grant", message).with_hint(hint))
    }

    async fn run_tool(
        &self,
        offer: &ProfileTool,
        tool: &Tool,
        given: Map<String, Value>,
        watch: &CallObserver,
        seen: SeenFinder,
    ) -> Result<OperationAnswer, AppError> {
        let call = OperationCall { seen, ..self.app.build_call(watch) };
        let read = |given| coerce_to_schema(&tool.input_schema, given);
        match &offer.action {
            ProfileAction::Run(operation) => {
                let params = Value::Object(read(given));
                self.check_expansion(operation.name(), &params)?;
                run_counted(Door::Mcp, *operation, &call, params).await
            }
            ProfileAction::Renamed(operation, renaming, _) => {
                let ours = renaming.map_arguments(read(given))?;
                self.check_expansion(operation.name(), &ours)?;
                // An error names our parameter, which the caller never wrote.
                run_counted(Door::Mcp, *operation, &call, ours).await.map_err(|problem| renaming.map_error(problem))
            }
            ProfileAction::Command(words) => own_command::run(&self.app, words).await,
            ProfileAction::Any => {
                // The arguments may stand in an object of their own or beside the name.
                let nested = given.get("arguments").filter(|nested| nested.is_object()).cloned();
                let params = nested.unwrap_or_else(|| Value::Object(given.clone()));
                let named = given.get("operation").and_then(Value::as_str).unwrap_or_default();
                let named = named.trim().to_lowercase();
                self.check_expansion(named.strip_prefix("epitome ").unwrap_or(&named), &params)?;
                any_operation::run(&call, given).await
            }
        }
    }

    /// A tool by its name.
    fn find_tool(&self, name: &str) -> Option<(&ProfileTool, &Tool)> {
        self.profile.offers.iter().zip(self.tools.iter()).find(|(offer, _)| offer.name == name)
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let names = self.profile.offers.iter().map(|offer| offer.name.as_str());
        let meant = nearest_word(name, names).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
        ErrorData::invalid_params(format!("unknown tool `{name}`{meant}"), None)
    }
}

/// The tools of a profile, in the order in which they are listed.
pub(super) fn profile_tools(profile: &ToolProfile) -> Vec<Tool> {
    profile.offers.iter().map(|offer| build_tool(offer, profile.output_schemas)).collect()
}

fn build_tool(offer: &ProfileTool, declares_output: bool) -> Tool {
    let named = |kind: OperationKind, parameters: Value| {
        let tool = Tool::new(offer.name.clone(), offer.summary.clone(), schema::schema_object(parameters));
        tool.with_annotations(tool_hints(ToolAnnotations::new().open_world(false), kind))
    };
    match &offer.action {
        ProfileAction::Run(it) if declares_output => declare_output(*it, &|parameters| named(it.kind(), parameters)),
        ProfileAction::Run(it) => named(it.kind(), schema::compact_schema(it.params_schema())),
        ProfileAction::Renamed(it, renaming, _) => {
            named(it.kind(), renaming.map_schema(&schema::compact_schema(it.params_schema())))
        }
        ProfileAction::Command(_) => {
            let none = json!({ "type": "object", "properties": {}, "additionalProperties": false });
            named(OperationKind::Read, none)
        }
        ProfileAction::Any => named(OperationKind::Write, any_operation::params_schema()),
    }
}

/// A tool that says what its replies look like, within its tokens: it would rather not explain choices than say nothing.
fn declare_output(operation: &dyn AnyOperation, named: &dyn Fn(Value) -> Tool) -> Tool {
    let room = |tool: &Tool| MAX_TOOL_TOKENS.0.saturating_sub(model::count_tokens(&json!(tool).to_string()).0);
    let fits = |room: u32| move |reply: &Value| model::count_tokens(&reply.to_string()).0 <= room;
    let reply = operation.reply_schema();
    let mut tool = named(schema::compact_schema(operation.params_schema()));
    // If not even the outline of the reply fits, the meanings of choices give way to it.
    if !fits(room(&tool))(&outline_schema(reply.clone(), |_| false)) {
        let mut parameters = schema::compact_choices(operation.params_schema());
        join_alternatives(&mut parameters);
        tool = named(parameters);
    }
    tool.output_schema = Some(Arc::new(schema::schema_object(outline_schema(reply, fits(room(&tool))))));
    tool
}

/// The annotations of an operation, which hold for any parameters.
fn tool_hints(closed: ToolAnnotations, kind: OperationKind) -> ToolAnnotations {
    match kind {
        OperationKind::Read => closed.read_only(true),
        OperationKind::Refresh => closed.read_only(false).destructive(false).idempotent(true),
        OperationKind::Write => closed.read_only(false).destructive(false),
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources();
        ServerConfig::new(capabilities.enable_resources_subscribe().build())
            .with_server_info(server_implementation())
            .with_instructions(self.profile.instructions.clone())
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(TTL_MS);
        result.cache_scope = CacheScope::Public;
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        self.note_schemas(&context);
        let mut list = ListToolsResult::with_all_items(self.tools.to_vec());
        // The older era of the protocol does not know these fields.
        if is_modern(&context) {
            list = list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public);
            list.meta = Some(server_identity());
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (offer, tool) = self.find_tool(&request.name).ok_or_else(|| self.unknown_tool(&request.name))?;
        let (watch, reported) = CallObserver::new(&context, self.stop.clone());
        let source = self.call_source(&offer.name, &context);
        let operation = offer.operation_name(request.arguments.as_ref());
        let window = CallWindow::open(&self.app, (self.profile, offer), &context, &self.notes);
        let seen = window.as_ref().map(CallWindow::finder).unwrap_or_default();
        let started = Instant::now();
        // Without this a panic would leave the client waiting for ever.
        let run = AssertUnwindSafe(self.run_tool(offer, tool, request.arguments.unwrap_or_default(), &watch, seen));
        let outcome = run.catch_unwind().await.unwrap_or_else(|_| Err(OperationFailure::Panicked.into()));
        // Dropping it ends the progress report, and awaiting that keeps a notification from following the reply.
        drop(watch);
        reported.await;
        let elapsed = started.elapsed();
        let mut meta = is_modern(&context).then(server_identity);
        let mut facts = CallFacts::default();
        let mut result = match outcome {
            Ok(mut answer) => {
                facts = std::mem::take(&mut answer.facts);
                if let Some(avoided) = render::avoided_bytes(&answer).filter(|_| offer.tells_avoided) {
                    let meta = meta.get_or_insert_default();
                    meta.insert("context_avoided_bytes".to_owned(), json!(avoided));
                }
                match &offer.action {
                    ProfileAction::Renamed(.., reply) => {
                        render::render_answer(reply.map_answer(answer), reply.reply_form())
                    }
                    ProfileAction::Command(_) => render::render_answer(answer, ReplyForm::Json),
                    ProfileAction::Run(_) if self.profile.output_schemas => {
                        render::render_answer(answer, ReplyForm::Both)
                    }
                    ProfileAction::Run(_) | ProfileAction::Any => render::render_answer(answer, ReplyForm::Text),
                }
            }
            Err(problem) => render::render_error(&problem),
        };
        if let Some(window) = window {
            window.note_reply(&facts, &result);
        }
        note_dispatch(&self.app, source, &operation, facts, render::shown_text(&result), elapsed);
        result.meta = meta;
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        let mut list = ListPromptsResult::with_all_items(prompts::profile_prompts(self.profile));
        if is_modern(&context) {
            list = list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public);
            list.meta = Some(server_identity());
        }
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut prompt = prompts::find_prompt(self.profile, &request.name)
            .ok_or_else(|| ErrorData::invalid_params(format!("unknown prompt `{}`", request.name), None))?;
        prompt.meta = is_modern(&context).then(server_identity);
        Ok(prompt.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        only_page(request)?;
        let mut list = ListResourcesResult::with_all_items(resources::fixed_resources());
        if is_modern(&context) {
            list = list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public);
            list.meta = Some(server_identity());
        }
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        let mut list = ListResourceTemplatesResult::with_all_items(resources::resource_templates());
        if is_modern(&context) {
            list = list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public);
            list.meta = Some(server_identity());
        }
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let source = self.call_source("resources/read", &context);
        let read = AssertUnwindSafe(resources::read_uri(&self.app, &request.uri, source)).catch_unwind().await;
        let mut result = read.unwrap_or_else(|_| Err(ErrorData::internal_error("the operation panicked", None)))?;
        if is_modern(&context) {
            result.meta = Some(server_identity());
        } else {
            // A client of the older era does not know these two fields.
            (result.ttl_ms, result.cache_scope) = (None, None);
        }
        Ok(result.into())
    }

    async fn subscribe(
        &self,
        request: rmcp::model::SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri != resources::SUGGESTIONS_URI {
            let message = format!("only {} tells of changes", resources::SUGGESTIONS_URI);
            return Err(ErrorData::resource_not_found(message, Some(json!({ "uri": request.uri }))));
        }
        let told = suggestion_updates::tell_peer(Arc::clone(&self.app), context.peer.clone(), self.stop.clone()).await;
        *self.updates.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: rmcp::model::UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        drop(self.updates.lock().unwrap_or_else(PoisonError::into_inner).take());
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // The SDK leaves out what is not declared; of resources only suggestions ever change.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        suggestion_updates::tell_stream(Arc::clone(&self.app), &context, &self.stop).await;
        Ok(())
    }

    // The SDK answers this with an empty list by default, which would claim a feature that is not declared.

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    /// What the SDK could not read as one of the protocol's requests: an unknown method, or a known one whose
    /// parameters have the wrong shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unreadable_request(&request.method))
    }
}

/// Lists have one page.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|page| page.cursor) {
        Some(cursor) => {
            Err(ErrorData::invalid_params(format!("unknown cursor `{cursor}`: the list has one page"), None))
        }
        None => Ok(()),
    }
}

/// Why a request was not understood.
pub(super) fn unreadable_request(method: &str) -> ErrorData {
    match method {
        "tools/call" => ErrorData::invalid_params("tools/call needs `name` and takes `arguments`, an object", None),
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
            ErrorData::invalid_params(format!("{method} takes `cursor`, a string"), None)
        }
        "prompts/get" => ErrorData::invalid_params("prompts/get needs `name`", None),
        "resources/read" => ErrorData::invalid_params("resources/read needs `uri`", None),
        _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method `{method}`"), None),
    }
}

/// Whether the request belongs to the era without handshakes.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn server_implementation() -> Implementation {
    Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
}

/// The name and version of the server: without a handshake, every result carries them.
fn server_identity() -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), json!(server_implementation()));
    meta
}
