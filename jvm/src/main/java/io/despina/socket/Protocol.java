package io.despina.socket;

import io.despina.inflow.Inflow;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.flow.FlowControlHandler;
import java.io.IOException;

/** What is spoken on the connections of a source. */
public abstract class Protocol {
    /** Bytes of the request that opens a WebSocket. */
    private static final int MOST_REQUEST = 1 << 13;

    Protocol() {
    }

    /** Before the first connection. @throws IOException if something that it needs cannot be read */
    void prepare() throws IOException {
    }

    /** Sets up one connection. */
    abstract void install(ChannelPipeline pipeline, Inflow<Received> inflow, Peer peer);

    /** Records one after the other. @param most bytes of a record */
    public static Protocol records(Framing framing, int most) {
        return new Protocol() {
            @Override
            void install(ChannelPipeline pipeline, Inflow<Received> inflow, Peer peer) {
                pipeline.addLast(new RecordHandler(inflow, framing, most, peer));
            }
        };
    }

    /** Requests whose bodies hold records. */
    public static Protocol http(HttpOptions options) {
        return new Protocol() {
            private HttpOptions.Admission admission;

            @Override
            void prepare() throws IOException {
                admission = options.admission();
            }

            @Override
            void install(ChannelPipeline pipeline, Inflow<Received> inflow, Peer peer) {
                // what was decoded at once waits there while reading is off
                pipeline.addLast(new HttpServerCodec(), new FlowControlHandler(),
                        new HttpHandler(inflow, options, admission, peer));
            }
        };
    }

    /** Messages of WebSockets, each a record. */
    public static Protocol webSocket(HttpOptions options) {
        return new Protocol() {
            private HttpOptions.Admission admission;

            @Override
            void prepare() throws IOException {
                admission = options.admission();
            }

            @Override
            void install(ChannelPipeline pipeline, Inflow<Received> inflow, Peer peer) {
                pipeline.addLast(new HttpServerCodec(), new HttpObjectAggregator(MOST_REQUEST),
                        new WebSocketDoor(options, admission),
                        new WebSocketServerProtocolHandler(WebSocketServerProtocolConfig.newBuilder()
                                .websocketPath(options.path()).checkStartsWith(true)
                                .maxFramePayloadLength(options.mostBytes()).build()),
                        new WebSocketHandler(inflow, options.mostBytes(), peer));
            }
        };
    }
}
