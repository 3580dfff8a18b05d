package io.despina.kafka;

import io.despina.ConnectorCase;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.MarkedTargetContract;
import java.util.List;

/** A topic of a fake broker. */
@ConnectorCase("kafka: empty, ahead")
class KafkaTargetTest extends MarkedTargetContract {
    private static final ConnectorSettings SETTINGS = WritersTest.SETTINGS.with("topic", "t");

    private final FakeBroker broker = new FakeBroker();

    private final class OfBroker implements Connector {
        @Override
        public RecordWriter writer(ConnectorSettings settings, WriterHost host) {
            return new EpochWriter(SETTINGS, host, broker.producers(SETTINGS), broker.markers(SETTINGS));
        }
    }

    @Override
    protected void prepare() {
        // the broker is there
    }

    @Override
    protected MarkedSink sink() {
        return records(OfBroker::new, SETTINGS);
    }

    @Override
    protected List<Integer> rows() {
        return broker.there.stream().filter(each -> !each.startsWith("m")).map(Integer::valueOf).toList();
    }
}
