package io.despina.socket;

import io.netty.channel.ChannelPipeline;
import java.io.IOException;

/** What is spoken on the connections of a source. */
public abstract class Protocol {

    Protocol() {
    }

    /** Before the first connection. @throws IOException if something that it needs cannot be read */
    void prepare() throws IOException {
    }

    /** Sets up one connection. */
    abstract void install(ChannelPipeline pipeline, Inflow inflow, Peer peer);

    /** Records one after the other. @param most bytes of a record */
    public static Protocol records(Framing framing, int most) {
        return new Protocol() {
            @Override
            void install(ChannelPipeline pipeline, Inflow inflow, Peer peer) {
                pipeline.addLast(new RecordHandler(inflow, framing, most, peer));
            }
        };
    }
}
