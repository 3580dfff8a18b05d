package io.despina.expr.catalyst.analysis;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CurrentDate;
import org.apache.spark.sql.catalyst.expressions.CurrentTime;
import org.apache.spark.sql.catalyst.expressions.CurrentTimeZone;
import org.apache.spark.sql.catalyst.expressions.CurrentTimestamp;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.LocalTimestamp;
import org.apache.spark.sql.catalyst.expressions.MakeTimestampLTZ;
import org.apache.spark.sql.catalyst.expressions.MakeTimestampNTZ;
import org.apache.spark.sql.catalyst.expressions.Now;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.util.DateTimeUtils$;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SQLConf$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Replaces {@code now()}, {@code current_date()}, {@code CAST('today' AS DATE)} and the like by one moment, and the time
 * zone by the graph's. Spark's own rule,
 * ComputeCurrentTime, reads the clock each time it is applied, which is once for each operator and each resource.
 */
public final class JobInstant extends Rule<LogicalPlan> {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;

    private final long micros;
    private final Instant instant;

    /** @param micros since 1970-01-01T00:00Z */
    JobInstant(long micros) {
        this.micros = micros;
        instant = Instant.ofEpochSecond(Math.floorDiv(micros, MICROS_PER_SECOND),
                Math.floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO);
    }

    /**
     * The moment of this call, as the time of a new job.
     *
     * @return microseconds since 1970-01-01T00:00Z
     */
    static long now() {
        return DateTimeUtils$.MODULE$.instantToMicros(Instant.now());
    }

    /** A Spark frame in which every use of the time, also in sources and views, gets this moment and its session's zone. */
    public static Dataset<Row> at(Dataset<Row> rows, long micros) {
        org.apache.spark.sql.classic.Dataset<Row> classic = (org.apache.spark.sql.classic.Dataset<Row>) rows;
        LogicalPlan plan = classic.queryExecution().analyzed();
        SQLConf conf = classic.sparkSession().sessionState().conf();        // not that of the thread's active session
        LogicalPlan told = SQLConf$.MODULE$.withExistingConf(conf, () -> new JobInstant(micros).apply(plan));
        return told == plan ? rows : org.apache.spark.sql.classic.Dataset.ofRows(classic.sparkSession(), told);
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        LogicalPlan told = plan.transformAllExpressions(Scala.<Expression>replacing(this::told));
        return told.fastEquals(plan) ? plan : told;
    }

    /** The replacement; null if the expression does not depend on the time. */
    private Expression told(Expression e) {
        if (e instanceof CurrentTimestamp || e instanceof Now) {
            return new Literal(micros, DataTypes.TimestampType);
        }
        if (e instanceof CurrentDate date) {
            return date(date.zoneId());
        }
        if (e instanceof LocalTimestamp local) {
            return local(at(local.zoneId()));
        }
        if (e instanceof CurrentTime time) {
            long nanos = DateTimeUtils$.MODULE$.instantToNanosOfDay(instant, time.zoneId());
            return new Literal(DateTimeUtils$.MODULE$.truncateTimeToPrecision(nanos, time.precision()), time.dataType());
        }
        if (e instanceof CurrentTimeZone) {
            return new Literal(UTF8String.fromString(SQLConf$.MODULE$.get().sessionLocalTimeZone()), e.dataType());
        }
        return e instanceof Cast cast && cast.resolved() ? cast(cast) : null;
    }

    private Expression cast(Cast cast) {
        DataType to = cast.dataType();
        DataType from = cast.child().dataType();
        if (from instanceof StringType && cast.child().foldable()) {
            return special(cast);
        }
        if (from instanceof TimeType && to.equals(DataTypes.TimestampNTZType)) {        // a time of the current day
            return new MakeTimestampNTZ(date(cast.zoneId()), cast.child()).replacement();
        }
        if (from instanceof TimeType && to.equals(DataTypes.TimestampType)) {
            return new MakeTimestampLTZ(date(cast.zoneId()), cast.child(), cast.timeZoneId()).replacement();
        }
        return null;
    }

    /** The value of {@code now}, {@code today}, {@code tomorrow} or {@code yesterday}, as in SpecialDatetimeValues; else null. */
    private Expression special(Cast cast) {
        DataType to = cast.dataType();
        if (!to.equals(DataTypes.DateType) && !to.equals(DataTypes.TimestampType) && !to.equals(DataTypes.TimestampNTZType)) {
            return null;
        }
        String word = word(cast.child(), to, cast.zoneId());
        if (word == null || word.startsWith("epoch")) {
            return null;
        }
        int days = word.startsWith("tomorrow") ? 1 : word.startsWith("yesterday") ? -1 : 0;
        ZonedDateTime now = at(cast.zoneId());
        ZonedDateTime moment = word.equals("now") ? now : now.plusDays(days).with(LocalTime.MIDNIGHT);
        if (to.equals(DataTypes.DateType)) {
            return date(moment.toLocalDate());
        }
        return to.equals(DataTypes.TimestampNTZType) ? local(moment)
                : new Literal(DateTimeUtils$.MODULE$.instantToMicros(moment.toInstant()), DataTypes.TimestampType);
    }

    private static String word(Expression constant, DataType to, ZoneId zone) {
        Object text;
        try {
            text = constant.eval(null);
        } catch (RuntimeException e) {
            return null;        // it has no value before Spark's other rules, which look for these words again
        }
        String word = text == null ? "" : text.toString().strip();
        return isSpecial(word, to, zone) ? word.toLowerCase(Locale.ROOT) : null;
    }

    /** Whether Spark reads the text as a moment when it converts it to a date or a time stamp. */
    static boolean isSpecial(String word, DataType to, ZoneId zone) {
        DateTimeUtils$ times = DateTimeUtils$.MODULE$;
        return !(to.equals(DataTypes.DateType) ? times.convertSpecialDate(word, zone)
                : to.equals(DataTypes.TimestampNTZType) ? times.convertSpecialTimestampNTZ(word, zone)
                : times.convertSpecialTimestamp(word, zone)).isEmpty();
    }

    private ZonedDateTime at(ZoneId zone) {
        return instant.atZone(zone);
    }

    private Literal date(ZoneId zone) {
        return date(at(zone).toLocalDate());
    }

    private static Literal date(LocalDate day) {
        return new Literal((int) day.toEpochDay(), DataTypes.DateType);
    }

    private static Literal local(ZonedDateTime moment) {
        return new Literal(DateTimeUtils$.MODULE$.localDateTimeToMicros(moment.toLocalDateTime()), DataTypes.TimestampNTZType);
    }
}
