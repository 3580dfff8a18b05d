package io.despina.compare.storm;

import io.despina.compare.Arrivals;
import io.despina.compare.Pace;
import io.despina.compare.Presence;
import io.despina.compare.RelayPackets;
import io.despina.compare.Settings;
import java.util.Map;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.topology.base.BaseRichSpout;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;

/** Source, relay and sink of relay packets: one field, a byte array. */
final class Relaying {
    static final Fields PACKET = new Fields("packet");

    private Relaying() {
    }

    /** Makes one packet a call; without message ids, so nothing is acknowledged. */
    static final class Source extends BaseRichSpout {
        private static final long serialVersionUID = 1;

        private final Settings settings;
        private transient SpoutOutputCollector collector;
        private transient RelayPackets packets;
        private transient Pace pace;

        Source(Settings settings) {
            this.settings = settings;
        }

        @Override
        public void open(Map<String, Object> config, TopologyContext context, SpoutOutputCollector out) {
            Presence.announce(settings, "source");
            collector = out;
            packets = new RelayPackets(settings.number("packet_bytes"));
            pace = new Pace(settings.real("rate_per_s", 0));
        }

        @Override
        public void nextTuple() {
            long due = pace.take();
            if (due != Pace.NOT_YET) {
                byte[] packet = new byte[packets.packetBytes()];
                packets.next(packet, due);
                collector.emit(new Values(packet));
            }
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(PACKET);
        }
    }

    /** Passes each packet on. */
    static final class Relay extends BaseRichBolt {
        private static final long serialVersionUID = 1;

        private final Settings settings;
        private transient OutputCollector collector;

        Relay(Settings settings) {
            this.settings = settings;
        }

        @Override
        public void prepare(Map<String, Object> config, TopologyContext context, OutputCollector out) {
            Presence.announce(settings, "relay");
            collector = out;
        }

        @Override
        public void execute(Tuple input) {
            collector.emit(new Values(input.getValue(0)));
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(PACKET);
        }
    }

    /** Checks and counts. */
    static final class Sink extends BaseRichBolt {
        private static final long serialVersionUID = 1;

        private final Settings settings;
        private transient Arrivals arrivals;

        Sink(Settings settings) {
            this.settings = settings;
        }

        @Override
        public void prepare(Map<String, Object> config, TopologyContext context, OutputCollector collector) {
            arrivals = new Arrivals(settings);
        }

        @Override
        public void execute(Tuple input) {
            arrivals.accept(input.getBinary(0));
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
        }
    }
}
