package io.despina.expr.catalyst.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import io.despina.expr.catalyst.analysis.Scala;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JacksonParser;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Function2;

/**
 * Spark's parser of JSON records, with two rules more: behind a record's value its line must end, where Spark drops the rest; and
 * a number that is a time is in a unit that the graph names, and within the years 1 to 9999. The engine and Spark both use it.
 */
public final class JsonRecordParser extends JacksonParser {
    private final EpochTime times;

    /** @param unit of numbers that are times */
    public JsonRecordParser(StructType schema, JSONOptions options, TimeUnit unit) {
        super(schema, options, true, Scala.seq());
        times = new EpochTime(unit);
    }

    @Override
    public <T> scala.collection.Iterable<InternalRow> parse(T record, Function2<JsonFactory, T, JsonParser> create,
            Function1<T, UTF8String> literal) {
        return super.parse(record, (factory, text) -> new WholeRecord(create.apply(factory, text)), literal);
    }

    /** Called by the constructor above, before there is a unit. */
    @Override
    public Function1<JsonParser, Object> makeConverter(DataType type) {
        Function1<JsonParser, Object> sparks = super.makeConverter(type);
        return type.equals(DataTypes.TimestampType) ? parser -> time(parser, sparks) : sparks;
    }

    private Object time(JsonParser parser, Function1<JsonParser, Object> other) {
        try {
            if (parser.currentToken() == JsonToken.FIELD_NAME) {
                parser.nextToken();
            }
            JsonToken token = parser.currentToken();
            return token != null && token.isNumeric() ? (Object) times.micros(parser) : other.apply(parser);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where its value ends, its text must end. */
    static final class WholeRecord extends JsonParserDelegate {

        WholeRecord(JsonParser parser) {
            super(parser);
        }

        @Override
        public JsonToken nextToken() throws IOException {
            JsonToken token = delegate.nextToken();
            if (token != null && token.isStructEnd() && delegate.getParsingContext().inRoot() && goesOn()) {
                throw new IllegalArgumentException("the line goes on behind its JSON value: each record needs a line of its own");
            }
            return token;
        }

        private boolean goesOn() throws IOException {
            try {
                return delegate.nextToken() != null;
            } catch (JsonProcessingException noJson) {
                return true;
            }
        }
    }
}
