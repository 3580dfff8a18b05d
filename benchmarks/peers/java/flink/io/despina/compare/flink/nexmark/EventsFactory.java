package io.despina.compare.flink.nexmark;

import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

/** The connector {@code nexmark}: a table of so many events, which {@link EventMaker} makes. */
public final class EventsFactory implements DynamicTableSourceFactory {
    private static final ConfigOption<Long> EVENTS = ConfigOptions.key("events").longType().noDefaultValue();
    private static final ConfigOption<Long> SEED = ConfigOptions.key("seed").longType().noDefaultValue();
    private static final ConfigOption<Long> GAP_US = ConfigOptions.key("gap_us").longType().noDefaultValue();

    @Override
    public String factoryIdentifier() {
        return "nexmark";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(EVENTS, SEED, GAP_US);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        return new Events(helper.getOptions().get(EVENTS),
                new EventMaker(helper.getOptions().get(SEED), helper.getOptions().get(GAP_US)), context.getPhysicalRowDataType());
    }

    /** The table. */
    private record Events(long events, EventMaker maker, DataType rows) implements ScanTableSource {
        @Override
        public ChangelogMode getChangelogMode() {
            return ChangelogMode.insertOnly();
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            return new Made(events, maker, context.createTypeInformation(rows));
        }

        @Override
        public DynamicTableSource copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return "nexmark events";
        }
    }

    /** Its rows. */
    private record Made(long events, EventMaker maker, TypeInformation<RowData> rows) implements DataStreamScanProvider {
        @Override
        public DataStream<RowData> produceDataStream(ProviderContext context, StreamExecutionEnvironment environment) {
            return environment.fromSource(new NumberSequenceSource(0, events - 1), WatermarkStrategy.noWatermarks(), "numbers")
                    .map(maker).returns(rows);
        }

        @Override
        public boolean isBounded() {
            return true;
        }
    }
}
