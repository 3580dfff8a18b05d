package io.despina.operator.source.socket;

import io.despina.operator.OperatorContext;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.source.inflow.LoggedSource;
import io.despina.socket.Endpoint;
import java.io.IOException;

/**
 * What the sources of sockets have in common: those that listen on a port, and one that connects. The thread of a socket wakes
 * them. A socket cannot be read again.
 */
abstract class ListeningSource extends LoggedSource {
    final SocketSourceOptions options;
    RecordDecoder decoder;
    ReceivedRecords records;
    private Endpoint endpoint;

    ListeningSource(SocketSourceOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws IOException {
        begin(opened, options.records().schema(), options.eventTime(), options.bounds().bufferBytes());
        decoder = new RecordDecoder(options.records(), options.eventTime(), options.parsers(), badRecords());
        records = new ReceivedRecords(decoder);
        beginLog(options.bounds().bufferBytes(), options.bounds().logBytes());
        endpoint = options.opening().open(inflow, context);
        context.tell(endpoint.description());
    }

    /** Whether its peers may send more, for tests. */
    final boolean hasRoom() {
        return inflow.hasRoom();
    }

    /** The sockets, for tests. */
    final Endpoint endpoint() {
        return endpoint;
    }

    /** Nothing is there. @throws IOException if nothing will come any more */
    final void checkEndpoint() throws IOException {
        IOException failure = endpoint.failure();
        if (failure != null && !stopped) {
            throw failure;
        }
    }

    /** Runs when what has come so far is on the disk, for tests. */
    final void whenLogged(Runnable then) {
        whenAllDurable(failure -> then.run());
    }

    @Override
    public boolean stop() {
        stopped = true;
        endpoint.stop();
        return true;
    }

    @Override
    public void close() throws IOException {
        if (endpoint != null) {
            endpoint.close();
        }
        super.close();
    }
}
