package io.despina.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import java.net.URI;

/**
 * Makes a WebSocket of a connection to a program that listens.
 *
 * @param uri    {@code ws://…} or {@code wss://…}
 * @param token  what is shown to the peer; null for none
 * @param binary whether messages to the peer are no text
 */
public record WebSocketUpgrade(URI uri, String token, boolean binary) {
    /** Bytes of an answer that refuses. */
    private static final int MOST_ANSWER = 1 << 16;
    /** Bytes of a frame of a peer whose frames are passed over. */
    static final int MOST_FRAME = 1 << 24;
    private static final int CLOSE_MS = 2_000;

    /** @param mostFrame bytes of a frame of the peer's */
    void install(ChannelPipeline pipeline, long mostMillis, int mostFrame) {
        HttpHeaders headers = new DefaultHttpHeaders();
        if (token != null) {
            headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + token);
        }
        pipeline.addLast(new HttpClientCodec(), new HttpObjectAggregator(MOST_ANSWER),
                new WebSocketClientProtocolHandler(WebSocketClientProtocolConfig.newBuilder().webSocketUri(uri)
                        .customHeaders(headers).generateOriginHeader(false).maxFramePayloadLength(mostFrame)
                        .handshakeTimeoutMillis(mostMillis).forceCloseTimeoutMillis(CLOSE_MS).build()));
    }

    Object message(ByteBuf content) {
        return binary ? new BinaryWebSocketFrame(content) : new TextWebSocketFrame(content);
    }
}
