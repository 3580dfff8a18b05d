package io.despina.compare.storm;

import io.despina.compare.Presence;
import io.despina.compare.Settings;
import java.util.Map;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;

/** Passes each packet on. */
final class Relay extends BaseRichBolt {
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
        declarer.declare(Stepping.RECORD);
    }
}
