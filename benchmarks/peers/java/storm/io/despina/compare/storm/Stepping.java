package io.despina.compare.storm;

import io.despina.compare.Feeder;
import io.despina.compare.Maker;
import io.despina.compare.Step;
import java.util.List;
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

/** The shared feeders and steps as a spout and as bolts. */
final class Stepping {
    /** One field, a byte array. */
    static final Fields RECORD = new Fields("record");

    private Stepping() {
    }

    /** Emits what a feeder has, a record a call; without message ids, so nothing is acknowledged. */
    static final class Source extends BaseRichSpout {
        private static final long serialVersionUID = 1;

        private final Maker<Feeder> maker;
        private transient Feeder feeder;
        private transient SpoutOutputCollector collector;

        Source(Maker<Feeder> maker) {
            this.maker = maker;
        }

        @Override
        public void open(Map<String, Object> config, TopologyContext context, SpoutOutputCollector out) {
            feeder = maker.get();
            collector = out;
        }

        @Override
        public void nextTuple() {
            byte[] record = feeder.next();
            if (record != null) {
                collector.emit(new Values(record));
            }
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(RECORD);
        }
    }

    /** A step; its inputs are told by the components that they come from. */
    static final class Bolt extends BaseRichBolt {
        private static final long serialVersionUID = 1;

        private final Maker<Step> maker;
        private final List<String> inputs;
        private transient Step step;
        private transient OutputCollector collector;

        Bolt(Maker<Step> maker, List<String> inputs) {
            this.maker = maker;
            this.inputs = inputs;
        }

        @Override
        public void prepare(Map<String, Object> config, TopologyContext context, OutputCollector out) {
            step = maker.get();
            collector = out;
        }

        @Override
        public void execute(Tuple tuple) {
            int input = inputs.size() == 1 ? 0 : inputs.indexOf(tuple.getSourceComponent());
            step.accept(input, tuple.getBinary(0), record -> collector.emit(new Values(record)));
        }

        @Override
        public void declareOutputFields(OutputFieldsDeclarer declarer) {
            declarer.declare(RECORD);
        }
    }
}
