package io.despina.asking;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;

/** Makes the readers of an {@code http_poll_source}. */
public record PollConnector(PollOptions options) implements Connector {

    @Override
    public PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        return reader(host, AskingClock.real());
    }

    PositionReader reader(ReaderHost host, AskingClock clock) {
        return new PollReader(options, host, clock);
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        return HttpAsker.probe(options.server(), millis);
    }
}
