package io.despina.kafka;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import io.despina.operator.connect.MarkedRecordSink;
import io.despina.operator.connect.RecordSinkOptions;
import io.despina.operator.connect.RecordSinkOptions.Parts;
import io.despina.operator.connect.RecordSinkOptions.To;
import io.despina.operator.connect.RecordSinkOptions.Value;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.MarkedTargetContract;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.util.List;
import java.util.Map;

/** A topic of a fake broker. */
class KafkaTargetTest extends MarkedTargetContract {
    private static final Value NUMBER = new Value(List.of(0), Schema.of(new Column("n", Simple.INT, true)));

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
        return new MarkedRecordSink(new RecordSinkOptions(new RecordFormat.Write(FileFormat.CSV, Map.of(), "UTC", true),
                text -> null, new Parts(null, null, false, false, List.of()), NUMBER, new To(OfBroker::new,
                        SETTINGS, 1000, null)));
    }

    @Override
    protected List<Integer> rows() {
        return broker.there.stream().filter(each -> !each.startsWith("m")).map(Integer::valueOf).toList();
    }
}
