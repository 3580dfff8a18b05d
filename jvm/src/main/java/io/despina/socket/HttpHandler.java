package io.despina.socket;

import io.despina.inflow.Inflow;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateEvent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Takes the bodies of one client's requests, one after the other: the next is read when the source has answered. One that is
 * refused is read to its end first, if it is short, so that the client sees why.
 */
final class HttpHandler extends SimpleChannelInboundHandler<HttpObject> {
    private static final byte[] NOTHING = {};
    private static final int RETRY_AFTER_S = 1;
    private static final int LINGER_S = 2;
    private static final String KEY = "Idempotency-Key";
    private static final int MOST_KEY = 255;

    private record Refusal(HttpResponseStatus status, String why) {
    }

    private final Inflow<Received> inflow;
    private final HttpOptions options;
    private final HttpOptions.Admission admission;
    private final Peer client;
    private byte[] body = NOTHING;
    private int length;
    /** How many bytes the inflow counts for it. */
    private int counted;
    private long passedOver;
    private Refusal refusal;
    /** By which the client may send the request again; or null. */
    private String key;
    private boolean keepAlive;
    /** The source has the request. */
    private boolean waiting;
    /** The connection ends; what comes is passed over. */
    private boolean ending;

    HttpHandler(Inflow<Received> inflow, HttpOptions options, HttpOptions.Admission admission, Peer client) {
        this.inflow = inflow;
        this.options = options;
        this.admission = admission;
        this.client = client;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
        if (ending) {
            return;
        }
        if (part.decoderResult().isFailure()) {
            refusal = new Refusal(HttpResponseStatus.BAD_REQUEST, "this is not HTTP");
            endWithRefusal(context);
            return;
        }
        if (part instanceof HttpRequest request) {
            begin(context, request);
        }
        if (part instanceof HttpContent content && !ending) {
            take(context, content.content());
            if (content instanceof LastHttpContent && !ending) {
                complete(context);
            }
        }
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        keepAlive = HttpUtil.isKeepAlive(request);
        length = 0;
        passedOver = 0;
        key = request.headers().get(KEY);
        refusal = refusal(request);
        if (HttpUtil.is100ContinueExpected(request)) {
            if (refusal != null) {
                endWithRefusal(context);
            } else {
                context.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE,
                        Unpooled.EMPTY_BUFFER));
            }
        }
    }

    private Refusal refusal(HttpRequest request) {
        if (!admission.admits(request)) {
            return new Refusal(HttpResponseStatus.UNAUTHORIZED, "the header Authorization: Bearer with the right token is "
                    + "missing");
        }
        if (!options.isAt(request)) {
            return new Refusal(HttpResponseStatus.NOT_FOUND, "the path is " + options.path());
        }
        if (!request.method().equals(HttpMethod.POST)) {
            return new Refusal(HttpResponseStatus.METHOD_NOT_ALLOWED, "rows come by POST");
        }
        if (!request.headers().get(HttpHeaderNames.CONTENT_ENCODING, "identity").equalsIgnoreCase("identity")) {
            return new Refusal(HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "the body must not be packed");
        }
        if (HttpUtil.getContentLength(request, 0L) > options.mostBytes()) {
            return tooLarge();
        }
        if (key != null && key.length() > MOST_KEY) {
            return new Refusal(HttpResponseStatus.BAD_REQUEST, KEY + " has more than " + MOST_KEY + " characters");
        }
        if (inflow.isStopped()) {
            return new Refusal(HttpResponseStatus.SERVICE_UNAVAILABLE, "the job is being stopped");
        }
        return inflow.hasRoom() ? null : busy();
    }

    private Refusal tooLarge() {
        return new Refusal(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "the body is longer than max_body_bytes="
                + options.mostBytes());
    }

    private static Refusal busy() {
        return new Refusal(HttpResponseStatus.TOO_MANY_REQUESTS, "the graph is busy; try again later");
    }

    private void take(ChannelHandlerContext context, ByteBuf in) {
        int more = in.readableBytes();
        if (refusal == null && length + more > options.mostBytes()) {
            refusal = tooLarge();
        }
        if (refusal == null && length + more > body.length) {
            byte[] larger = Arrays.copyOf(body, Math.min(options.mostBytes(), Math.max(2 * body.length, length + more)));
            if (inflow.tryHold(larger.length - counted)) {
                counted = larger.length;
                body = larger;
            } else {
                refusal = busy();
            }
        }
        if (refusal == null) {
            in.readBytes(body, length, more);
            length += more;
            return;
        }
        forgetBody();
        passedOver += more;
        if (passedOver > options.mostBytes()) {
            endWithRefusal(context);
        }
    }

    private void forgetBody() {
        inflow.letGo(counted);
        counted = 0;
        body = NOTHING;
        length = 0;
    }

    private void complete(ChannelHandlerContext context) {
        if (refusal != null) {
            answer(context, refusal.status, error(refusal.why));
            return;
        }
        waiting = true;
        context.channel().config().setAutoRead(false);
        Peer request = new Peer(client.name(), () -> { });
        Received received = Received.request(request, body, length, (status, text) -> Transport.execute(context.executor(),
                () -> answered(context, HttpResponseStatus.valueOf(status), text)), key);
        forgetBody();
        inflow.put(received);
    }

    private void answered(ChannelHandlerContext context, HttpResponseStatus status, String text) {
        waiting = false;
        answer(context, status, text);
        context.channel().config().setAutoRead(!inflow.isStopped());
    }

    private void answer(ChannelHandlerContext context, HttpResponseStatus status, String text) {
        var done = context.writeAndFlush(response(status, text));
        if (!keepAlive) {
            ending = true;
            done.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private DefaultFullHttpResponse response(HttpResponseStatus status, String text) {
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status,
                Unpooled.copiedBuffer(text + "\n", StandardCharsets.UTF_8));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        if (status.equals(HttpResponseStatus.TOO_MANY_REQUESTS)) {
            response.headers().set(HttpHeaderNames.RETRY_AFTER, RETRY_AFTER_S);
        } else if (status.equals(HttpResponseStatus.UNAUTHORIZED)) {
            response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        } else if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
            response.headers().set(HttpHeaderNames.ALLOW, "POST");
        }
        if (!keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION, "close");
        }
        return response;
    }

    static String error(String why) {
        return "{\"error\": \"" + why.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
    }

    /**
     * Answers at once, though the client may still be sending. A close would reset the connection, which may take the answer from
     * the client before it has read it; so what it sends is passed over for a while.
     */
    private void endWithRefusal(ChannelHandlerContext context) {
        ending = true;
        keepAlive = false;
        forgetBody();
        context.writeAndFlush(response(refusal.status, error(refusal.why))).addListener(written -> {
            if (context.channel() instanceof DuplexChannel channel && context.pipeline().get(SslHandler.class) == null) {
                channel.shutdownOutput();
                context.executor().schedule(() -> context.close(), LINGER_S, TimeUnit.SECONDS);
            } else {
                context.close();
            }
        });
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ending = true;
        forgetBody();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent && !waiting) {
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        System.getLogger(HttpHandler.class.getName()).log(System.Logger.Level.DEBUG, client.name(), cause);
        context.close();
    }
}
