//! An MCP server for the official conformance suite: tools, prompts and resources that the suite calls by name, beside
//! the product's own tools, only behind a hidden flag. The replies are data (`fixtures.json`); code only reports
//! progress, logs and asks the client.

#![expect(deprecated, reason = "the suite tests what the protocol still has: sampling, logging, roots")]

mod client_calls;
mod fixture_set;
mod input_rounds;

use super::server::{McpHandler, TTL_MS, unreadable_request};
use fixture_set::{FIXTURES, FixtureAction, FixtureTool};
use input_rounds::{RoundOutcome, RoundRequest};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The product's server with the suite's tools, prompts and resources.
#[derive(Clone)]
pub(super) struct FixtureServer {
    product: McpHandler,
    listeners: Arc<Mutex<Vec<SubscriptionSink>>>,
}

impl FixtureServer {
    pub(super) fn new(product: McpHandler) -> Self {
        Self { product, listeners: Arc::default() }
    }

    async fn run_tool(
        &self,
        tool: &'static FixtureTool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = match &tool.does {
            FixtureAction::Reply { result } => result.clone(),
            FixtureAction::Progress => client_calls::report_progress(context).await,
            FixtureAction::Log => client_calls::send_log(context).await,
            FixtureAction::Sample => client_calls::request_sampling(context, request.arguments).await?,
            FixtureAction::Elicit { schema } => {
                client_calls::request_elicitation(context, request.arguments, schema).await?
            }
            FixtureAction::NeedSampling => need_sampling(context)?,
            FixtureAction::Change { list } => self.notify_change(*list).await,
            FixtureAction::Ask { rounds, sealed, done } => {
                let asked =
                    RoundRequest { of: &tool.name, state: request.request_state, answers: request.input_responses };
                match input_rounds::next_round(rounds, *sealed, asked, context)? {
                    RoundOutcome::Ask(required) => return Ok(required.into()),
                    RoundOutcome::Done => client_calls::text_result(done),
                }
            }
        };
        Ok(result.into())
    }

    async fn notify_change(&self, list: fixture_set::FixtureList) -> CallToolResult {
        let mut listeners = self.listeners.lock().await;
        for listener in std::mem::take(&mut *listeners) {
            // A listener that wants other news gets none; one that is gone is forgotten.
            let sent = match list {
                fixture_set::FixtureList::Tools => listener.notify_tool_list_changed().await,
                fixture_set::FixtureList::Prompts => listener.notify_prompt_list_changed().await,
            };
            if !matches!(sent, Err(rmcp::service::SubscriptionSendError::SubscriptionClosed)) {
                listeners.push(listener);
            }
        }
        client_calls::text_result("changed")
    }
}

fn need_sampling(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    if context.client_capabilities().is_some_and(|declared| declared.sampling.is_some()) {
        return Ok(client_calls::text_result("the client samples"));
    }
    let required = ClientCapabilities::builder().enable_sampling().build();
    Err(ErrorData::missing_required_client_capability(required))
}

impl ServerHandler for FixtureServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            // More than the product declares, since the suite tests these abilities, too.
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        let mut config = self.product.get_info();
        config.capabilities = capabilities;
        config
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.product.list_tools(request, context).await?;
        list.tools.extend(FIXTURES.tools.iter().map(FixtureTool::to_tool));
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Fixtures first; a test holds that none has the name of an operation of ours.
        match FIXTURES.tools.iter().find(|tool| tool.name == request.name) {
            Some(tool) => self.run_tool(tool, request, &context).await,
            None => self.product.call_tool(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = FIXTURES.prompts.iter().map(|prompt| prompt.listed.clone()).collect();
        Ok(ListPromptsResult::with_all_items(prompts).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = FIXTURES.prompts.iter().find(|prompt| prompt.listed.name == request.name);
        let prompt =
            prompt.ok_or_else(|| ErrorData::invalid_params(format!("unknown prompt `{}`", request.name), None))?;
        let asked = RoundRequest { of: &request.name, state: request.request_state, answers: request.input_responses };
        match input_rounds::next_round(&prompt.rounds, false, asked, &context)? {
            RoundOutcome::Ask(required) => Ok(required.into()),
            RoundOutcome::Done => Ok(prompt.fill_messages(&request.arguments.unwrap_or_default()).into()),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = FIXTURES.resources.iter().map(|resource| resource.listed.clone()).collect();
        Ok(ListResourcesResult::with_all_items(resources).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = FIXTURES.templates.iter().map(fixture_set::FixtureTemplate::to_template).collect();
        let list = ListResourceTemplatesResult::with_all_items(templates);
        Ok(list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = FIXTURES
            .find_contents(&request.uri)
            .ok_or_else(|| ErrorData::resource_not_found("resource not found", Some(json!({ "uri": request.uri }))))?;
        let result = ReadResourceResult::new(vec![contents]);
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public).into())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::default())
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // All is accepted, as the suite checks that notices arrive, not that a server picks.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners.lock().await.push(context.sink().clone());
        // The sink is closed when this returns, so it waits until the client cancels.
        context.cancelled().await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unreadable_request(&request.method))
    }
}
