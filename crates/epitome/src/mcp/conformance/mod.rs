//! What the official conformance suite calls by name, beside the product's own tools. Only behind a hidden flag.
//!
//! What a fixture says is data (`fixtures.json`); code is only what it does on the way: report, log, ask.

#![expect(deprecated, reason = "the suite tests what the protocol still has: sampling, logging, roots")]

mod data;
mod rounds;
mod talk;

use super::server::{Server, TTL_MS, unreadable};
use data::{Does, FIXTURES, Tool};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use rounds::{Asked, Next};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The product's server with the suite's tools, prompts and resources.
#[derive(Clone)]
pub(super) struct Fixtures {
    product: Server,
    listeners: Arc<Mutex<Vec<SubscriptionSink>>>,
}

impl Fixtures {
    pub(super) fn new(product: Server) -> Self {
        Self { product, listeners: Arc::default() }
    }

    async fn run(
        &self,
        tool: &'static Tool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = match &tool.does {
            Does::Reply { result } => result.clone(),
            Does::Progress => talk::progress(context).await,
            Does::Log => talk::log(context).await,
            Does::Sample => talk::sample(context, request.arguments).await?,
            Does::Elicit { schema } => talk::elicit(context, request.arguments, schema).await?,
            Does::NeedSampling => need_sampling(context)?,
            Does::Change { list } => self.change(*list).await,
            Does::Ask { rounds, sealed, done } => {
                let asked = Asked { of: &tool.name, state: request.request_state, answers: request.input_responses };
                match rounds::next(rounds, *sealed, asked, context)? {
                    Next::Ask(required) => return Ok(required.into()),
                    Next::Done => talk::said(done),
                }
            }
        };
        Ok(result.into())
    }

    async fn change(&self, list: data::List) -> CallToolResult {
        let mut listeners = self.listeners.lock().await;
        for listener in std::mem::take(&mut *listeners) {
            // A listener that wants other news gets none; one that is gone is forgotten.
            let sent = match list {
                data::List::Tools => listener.notify_tool_list_changed().await,
                data::List::Prompts => listener.notify_prompt_list_changed().await,
            };
            if !matches!(sent, Err(rmcp::service::SubscriptionSendError::SubscriptionClosed)) {
                listeners.push(listener);
            }
        }
        talk::said("changed")
    }
}

fn need_sampling(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    if context.client_capabilities().is_some_and(|declared| declared.sampling.is_some()) {
        return Ok(talk::said("the client samples"));
    }
    let required = ClientCapabilities::builder().enable_sampling().build();
    Err(ErrorData::missing_required_client_capability(required))
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
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
        list.tools.extend(FIXTURES.tools.iter().map(Tool::listed));
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match FIXTURES.tools.iter().find(|tool| tool.name == request.name) {
            Some(tool) => self.run(tool, request, &context).await,
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
        let asked = Asked { of: &request.name, state: request.request_state, answers: request.input_responses };
        match rounds::next(&prompt.rounds, false, asked, &context)? {
            Next::Ask(required) => Ok(required.into()),
            Next::Done => Ok(prompt.filled(&request.arguments.unwrap_or_default()).into()),
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
        let templates = FIXTURES.templates.iter().map(data::Template::listed).collect();
        let list = ListResourceTemplatesResult::with_all_items(templates);
        Ok(list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = FIXTURES
            .contents(&request.uri)
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
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners.lock().await.push(context.sink().clone());
        context.cancelled().await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unreadable(&request.method))
    }
}
