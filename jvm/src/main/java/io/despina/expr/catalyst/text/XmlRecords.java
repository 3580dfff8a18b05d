package io.despina.expr.catalyst.text;

import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.row.SparkTypes;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.BadRecordException;
import org.apache.spark.sql.catalyst.util.PermissiveMode$;
import org.apache.spark.sql.catalyst.xml.StaxXmlParser;
import org.apache.spark.sql.catalyst.xml.XmlOptions;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;

/**
 * Reads XML with Spark's own parser: a record is one document, and its root element is a row; or, with {@code rowTag}, each
 * element of that name in it. Spark stops behind what it wants. Here the whole record is walked over first, so nothing that
 * follows is lost without a word. A document type is refused, and with it each entity of its own.
 */
final class XmlRecords {
    private static final String ROW_TAG = "rowTag";
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final StaxXmlParser parser;
    private final XmlOptions options;
    private final XMLInputFactory walks;
    /** Null if the root element is the row. */
    private final String rowTag;

    XmlRecords(TextOptions text) {
        options = options(text);
        parser = new StaxXmlParser(SparkTypes.struct(text.schema()).asNullable(), options);
        walks = options.buildXmlFactory();
        rowTag = options.parameters().contains(ROW_TAG) ? options.rowTag() : null;
    }

    static XmlOptions options(TextOptions text) {
        return new XmlOptions(LineParser.map(text.options()), text.timeZone(), LineParser.CORRUPT, false, false);
    }

    List<InternalRow> parse(byte[] bytes, int from, int to) throws BadRecordException {
        UTF8String record = UTF8String.fromBytes(bytes, from, to - from);
        try {
            String text = text(bytes, from, to);
            walk(text);
            List<InternalRow> rows = rowTag == null ? List.of(row(text)) : rows(text);
            if (rows.isEmpty()) {
                throw bad(record, "there is no element <" + rowTag + "> in it");
            }
            return rows;
        } catch (CharacterCodingException strange) {
            throw bad(record, "a text that is not UTF-8");
        } catch (XMLStreamException wrong) {
            throw bad(record, reason(wrong));
        } catch (BadRecordException bad) {
            throw bad.copy(() -> record, bad.partialResults(), bad.cause());
        } catch (RuntimeException ofAnAttribute) {      // Spark's parser lets it through
            throw new BadRecordException(() -> record, () -> new InternalRow[0], ofAnAttribute);
        }
    }

    private static BadRecordException bad(UTF8String record, String why) {
        return new BadRecordException(() -> record, () -> new InternalRow[0], new IllegalArgumentException(why));
    }

    private static String text(byte[] bytes, int from, int to) throws CharacterCodingException {
        String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, to - from)).toString();
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    /** Looks whether it is one document to its end. */
    private void walk(String text) throws XMLStreamException {
        XMLStreamReader walk = walks.createXMLStreamReader(new StringReader(text));
        while (walk.hasNext()) {
            if (walk.next() == XMLStreamConstants.DTD) {
                throw new XMLStreamException("a document type (<!DOCTYPE …>), which is not read");
            }
        }
    }

    static String reason(XMLStreamException wrong) {
        Location at = wrong.getLocation();
        String first = wrong.getMessage().lines().findFirst().orElse("");
        return at == null ? first : "it is no XML: " + first + " (line " + at.getLineNumber() + ", column " + at.getColumnNumber()
                + ")";
    }

    /** Declares the exception that the Scala method does not declare. */
    private InternalRow row(String text) throws BadRecordException {
        return parser.doParseColumn(text, PermissiveMode$.MODULE$, Option.empty()).get();
    }

    private List<InternalRow> rows(String text) throws BadRecordException {
        byte[] document = text.getBytes(StandardCharsets.UTF_8);
        UTF8String whole = UTF8String.fromBytes(document);
        scala.collection.Iterator<Option<InternalRow>> found = StaxXmlParser.convertStream(
                () -> new ByteArrayInputStream(document), options,
                element -> parser.doParseColumnOptimized(element, () -> whole));
        List<InternalRow> rows = new ArrayList<>();
        while (found.hasNext()) {
            Option<InternalRow> row = found.next();
            if (row.isDefined()) {
                rows.add(row.get());
            }
        }
        return rows;
    }
}
