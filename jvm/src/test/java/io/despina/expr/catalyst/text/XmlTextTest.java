package io.despina.expr.catalyst.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Ddl;
import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.expr.RecordFormatter;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records of XML. What another program writes and reads is in tests/e2e/test_formats.py. */
class XmlTextTest {

    private static Schema schema(String ddl) throws Ddl.DdlException {
        return Ddl.parse(ddl).allNullable();
    }

    private static String read(Schema schema, Map<String, String> options, byte[] record) {
        RecordParser parser = Expressions.parser(new TextOptions("xml", schema, 0, options, "UTC", true));
        PacketWriter out = Rows.growing(schema);
        byte[] around = new byte[record.length + 4];
        Arrays.fill(around, (byte) '<');
        System.arraycopy(record, 0, around, 2, record.length);      // it looks at its own part alone
        RecordParser.Refusal refusal = parser.parse(around, 2, around.length - 2, out);
        List<List<Object>> rows = Rows.decode(schema, out.bytes(), 0, out.position());
        if (refusal == null) {
            return rows.toString();
        }
        assertEquals(List.of(), rows);
        return "!" + refusal.reason();
    }

    private static String read(String ddl, String options, String xml) throws Exception {
        Map<String, String> given = options == null ? Map.of()
                : Map.of(options.split("=", 2)[0], options.split("=", 2)[1]);
        return read(schema(ddl), given, xml.replace("\\n", "\n").getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "a INT, b STRING | | <r><a>1</a><b>x</b></r> | [[1, x]]", "a INT | | <whatever/> | [[null]]",
        "A INT, _id INT, b INT | | <r id='7' z='1'><a>1</a><c>2</c></r> | [[1, 7, null]]",
        "a ARRAY<INT> | | <r><a>1</a><a>2</a></r> | [[[1, 2]]]", "a INT | | <r><a>1</a><a>2</a></r> | [[2]]",
        "a STRUCT<_c: STRING, b: INT> | | <r><a c='k'><b>1</b></a></r> | [[[k, 1]]]",
        "a STRUCT<_VALUE: INT, _c: STRING> | | <r><a c='k'>5</a></r> | [[[5, k]]]",
        "a MAP<STRING, INT> | | <r><a><x>1</x><y>2</y></a></r> | [[{x=1, y=2}]]", "_VALUE INT | | <r>5</r> | [[5]]",
        "a TIMESTAMP, b DATE, c DECIMAL(5, 2), d BOOLEAN | | <r><a>1970-01-01T00:00:01Z</a><b>1970-01-02</b><c>1.5</c>"
                + "<d>true</d></r> | [[1000000, 1, 1.50, true]]",
        "a STRING | | <r><a>&amp;&#228;<![CDATA[<x>]]></a></r> | [[&ä<x>]]",
        "a STRING | | <r><a><b>1</b>t</a></r> | [[<b>1</b>t]]",
        "a INT | | <?xml version='1.0' encoding='UTF-8'?>\\n<!-- c --><r><a>1</a></r>\\n<!-- d -->\\n | [[1]]",
        "`@a` INT | attributePrefix=@ | <r a='4'/> | [[4]]", "v INT | valueTag=v | <r>4</r> | [[4]]",
        "a INT | nullValue=- | <r><a>-</a></r> | [[null]]",
        "a INT | ignoreNamespace=true | <n:r xmlns:n='u'><n:a>1</n:a></n:r> | [[1]]",
        "a DATE | dateFormat=dd.MM.yyyy | <r><a>02.01.1970</a></r> | [[1]]",
        "a INT | rowTag=r | <all at='x'><r><a>1</a></r><q/><r/><s><r><a>3</a></r></s></all> | [[1], [null], [3]]",
        "a INT | ROWTAG=r | <r><a>1</a></r> | [[1]]"})
    void anElementIsARow(String ddl, String options, String xml, String rows) throws Exception {
        assertEquals(rows, read(ddl, options, xml));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "a INT | | <r><a>x</a></r> | the text `x` is no number of its column's type",
        "a TINYINT | | <r><a>300</a></r> | Value out of range. Value:\"300\" Radix:10",
        "a INT | rowTag=r | <q><r><a>1</a></r><r><a>x</a></r></q> | the text `x` is no number of its column's type",
        "a INT | rowTag=r | <q><R/></q> | there is no element <r> in it",
        "_a INT | rowTag=r | <q><r a='x'/></q> | the text `x` is no number of its column's type",
        "_a INT | | <r a='x'/> | the text `x` is no number of its column's type",
        "a INT | | junk | it is no XML: Unexpected character 'j' (code 106) in prolog; expected '<' (line 1, column 1)",
        "a INT | | <r><a>1</a> | it is no XML: Unexpected EOF; was expecting a close tag for element <r> (line 1, column 11)",
        "a INT | | <r><a>1</a></r><r><a>2</a></r> | it is no XML: Illegal to have multiple roots (start tag in epilog?). "
                + "(line 1, column 17)",
        "a INT | | <r><a>1</a></r>\\nmore | it is no XML: Unexpected character 'm' (code 109) in epilog; "
                + "expected '<' (line 2, column 1)",
        "a INT | | <r><a>1</b></r> | it is no XML: Unexpected close tag </b>; expected </a>. (line 1, column 10)",
        "a STRING | | <!DOCTYPE r SYSTEM 'http://127.0.0.1:1/'><r><a>1</a></r> | a document type "
                + "(<!DOCTYPE …>), which is not read",
        "a STRING | | <r><a>&x;</a></r> | it is no XML: Undeclared general entity \"x\" (line 1, column 9)"})
    void aBrokenRecordSaysWhat(String ddl, String options, String xml, String why) throws Exception {
        assertEquals("!" + why, read(ddl, options, xml));
    }

    @Test
    void nothingIsReadThatARecordNames(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "secret");
        String outside = "<!DOCTYPE r [<!ENTITY x SYSTEM '" + secret.toUri() + "'>]><r><a>&x;</a></r>";
        StringBuilder bomb = new StringBuilder("<!DOCTYPE r [<!ENTITY x0 'laugh'>");
        for (int k = 1; k < 12; k++) {
            bomb.append("<!ENTITY x").append(k).append(" '").append(("&x" + (k - 1) + ";").repeat(10)).append("'>");
        }
        for (String xml : List.of(outside, bomb + "]><r><a>&x11;</a></r>")) {
            assertEquals("!a document type (<!DOCTYPE …>), which is not read", read("a STRING", null, xml));
        }
    }

    @Test
    void depthHasALimitAndTextIsUtf8() throws Exception {
        String deep = "<z>".repeat(100_000) + "</z>".repeat(100_000);
        assertTrue(read("a INT", null, "<r>" + deep + "<a>1</a></r>").startsWith("!Maximum Element Depth limit (1000) Exceeded"));
        assertEquals("[[ä]]", read(schema("a STRING"), Map.of(), "\uFEFF<r><a>ä</a></r>".getBytes(StandardCharsets.UTF_8)));
        assertEquals("!a text that is not UTF-8",
                read(schema("a STRING"), Map.of(), "<r><a>ä</a></r>".getBytes(StandardCharsets.ISO_8859_1)));
    }

    /** Of bytes whatever: a row, or a reason. */
    @Test
    void noBytesWhateverBreakAReader() throws Exception {
        Schema schema = schema("a INT, _k STRING, of ARRAY<STRUCT<x: DOUBLE, _VALUE: STRING>>, m MAP<STRING, INT>");
        byte[] good = "<r k='v'><a>1</a><of><x>1.5</x></of><of>t</of><m><p>1</p></m></r>".getBytes(StandardCharsets.UTF_8);
        Random chance = new Random(3);
        int bad = 0;
        for (int k = 0; k < 3_000; k++) {
            byte[] bytes = Arrays.copyOf(good, chance.nextInt(4) > 0 ? good.length : chance.nextInt(good.length));
            for (int change = chance.nextInt(3); change > 0 && bytes.length > 0; change--) {
                bytes[chance.nextInt(bytes.length)] = (byte) "<>/='& a1\"\0é".charAt(chance.nextInt(12));
            }
            bad += read(schema, k % 2 == 0 ? Map.of() : Map.of("rowTag", "r"), bytes).startsWith("!") ? 1 : 0;
        }
        assertTrue(bad > 500 && bad < 2_900, bad + " were bad");
        assertEquals("[[1, v, [[1.5, null], [null, t]], {p=1}]]", read(schema, Map.of(), good));
    }

    private static String written(Schema schema, Map<String, String> options, Object... row) throws Exception {
        RecordFormatter formatter = Expressions.formatter(new TextOptions("xml", schema, 0, options, "UTC", true));
        return written(formatter, schema, row);
    }

    private static String written(RecordFormatter formatter, Schema schema, Object... row) throws Exception {
        byte[] bytes = Rows.encode(schema, List.of(Arrays.asList(row)));
        Packet packet = new Packet(schema.layout());
        packet.wrap(bytes, 0, bytes.length);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        formatter.header(out);
        formatter.format(packet, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aRowIsAnElement() throws Exception {
        assertEquals("<ROW id=\"3\">\n    <a>x&lt;&amp;ä</a>\n    <b>1</b>\n    <b>2</b>\n    <c u=\"K\">21.5</c>\n</ROW>\n",
                written(schema("_id INT, a STRING, b ARRAY<INT>, gone INT, c STRUCT<_u: STRING, _VALUE: DOUBLE>"), Map.of(), 3,
                        "x<&ä", List.of(1, 2), null, List.of("K", 21.5)));
        assertEquals("<r><a>-</a><t>1970</t></r>\n", written(schema("a INT, t TIMESTAMP"),
                Map.of("rowTag", "r", "indent", "", "nullValue", "-", "timestampFormat", "yyyy"), null, 0L));
        assertEquals("<ROW/>\n", written(schema("a INT"), Map.of(), (Object) null));
    }

    @Test
    void whatXmlCannotHoldIsTheRowsFaultAlone() throws Exception {
        Schema schema = schema("a STRING, m MAP<STRING, INT>");
        RecordFormatter formatter = Expressions.formatter(new TextOptions("xml", schema, 0, Map.of(), "UTC", true));
        for (String text : List.of("\0", "\u0001")) {
            assertThrows(IllegalArgumentException.class, () -> written(formatter, schema, text, null));
        }
        assertThrows(IllegalArgumentException.class, () -> written(formatter, schema, "a", Map.of("no name", 1)));
        assertEquals("<ROW>\n    <a>a</a>\n    <m>\n        <k>1</k>\n    </m>\n</ROW>\n",
                written(formatter, schema, "a", Map.of("k", 1)));
    }

    private static String document(Schema schema, String... texts) throws Exception {
        RecordFormatter formatter = Expressions.formatter(new TextOptions(TextOptions.DOCUMENT, schema, 0,
                Map.of("rootTag", "all of='it'"), "UTC", true));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        formatter.header(out);
        for (String text : texts) {
            byte[] bytes = Rows.encode(schema, List.of(Arrays.asList((Object) text)));
            Packet packet = new Packet(schema.layout());
            packet.wrap(bytes, 0, bytes.length);
            if (text.equals("\u0001")) {
                assertThrows(IllegalArgumentException.class, () -> formatter.format(packet, out));
            } else {
                formatter.format(packet, out);
            }
        }
        formatter.end(out);
        return out.toString(StandardCharsets.UTF_8).replaceFirst("^<\\?.*\n", "");
    }

    @Test
    void aRowThatXmlCannotHoldLeavesNothingInADocument() throws Exception {
        Schema schema = schema("a STRING");
        String whole = document(schema, "x", "y");
        assertEquals("<all of=\"it\">\n    <ROW>\n        <a>x</a>\n    </ROW>\n    <ROW>\n        <a>y</a>\n    </ROW>\n</all>",
                whole);
        assertEquals(whole, document(schema, "\u0001", "x", "y"));
        assertEquals(whole, document(schema, "x", "\u0001", "\u0001", "y"));
        assertEquals(whole.replace("\n", ""), document(schema, "x", "y", "\u0001").replace("\n", ""));
        for (String empty : List.of(document(schema), document(schema, "\u0001"))) {
            assertEquals("<all of=\"it\"></all>", empty);
        }
    }

    @Test
    void aFileThatHasBecomeShorterIsNotTakenForRead() throws Exception {
        byte[] file = "<q><r><a>1</a></r></q>".getBytes(StandardCharsets.UTF_8);
        FileRows.Options options = new FileRows.Options(schema("a INT"), Map.of("rowTag", "r"), Set.of(), "UTC", true);
        String told = assertThrows(IOException.class, () -> Expressions.xml("a.xml", new ByteArrayInputStream(file), options, 2)
                .close()).getMessage();
        assertEquals("a.xml has become shorter: the source was to go on at element 2", told);
    }

    @Test
    void whatIsWrittenIsReadAgain() throws Exception {
        Schema schema = schema("_id INT, a STRING, b ARRAY<BIGINT>, c STRUCT<_u: STRING, _VALUE: DOUBLE>, d DATE, "
                + "m MAP<STRING, INT>, s ARRAY<STRUCT<x: BOOLEAN>>");
        Object[] row = {3, "x<&ä\n\t\"'>", List.of(1L, -9L), List.of("K", 21.5), 19_000, Map.of("k", 1), List.of(List.of(true))};
        String xml = written(schema, Map.of(), row);
        assertEquals("[" + Arrays.asList(row) + "]", read(schema, Map.of("ignoreSurroundingSpaces", "false"),
                xml.getBytes(StandardCharsets.UTF_8)));
    }
}
