package io.despina.socket;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;

/** Lets in a client that asks for the right path with the right token; before its connection becomes a WebSocket. */
final class WebSocketDoor extends ChannelInboundHandlerAdapter {
    private final HttpOptions options;
    private final HttpOptions.Admission admission;

    WebSocketDoor(HttpOptions options, HttpOptions.Admission admission) {
        this.options = options;
        this.admission = admission;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof FullHttpRequest request)) {
            context.fireChannelRead(message);
            return;
        }
        boolean upgrades = "websocket".equalsIgnoreCase(request.headers().get(HttpHeaderNames.UPGRADE));
        HttpResponseStatus refused = request.decoderResult().isFailure() ? HttpResponseStatus.BAD_REQUEST
                : !admission.admits(request) ? HttpResponseStatus.UNAUTHORIZED
                : !options.isAt(request) ? HttpResponseStatus.NOT_FOUND
                : !upgrades ? HttpResponseStatus.UPGRADE_REQUIRED : null;
        if (refused == null) {
            context.pipeline().remove(this);
            context.fireChannelRead(request);
            return;
        }
        ReferenceCountUtil.release(message);
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, refused,
                Unpooled.copiedBuffer(HttpHandler.error(refused.reasonPhrase()) + "\n", StandardCharsets.UTF_8));
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
                .set(HttpHeaderNames.CONNECTION, "close").set(HttpHeaderNames.UPGRADE, "websocket");
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }
}
