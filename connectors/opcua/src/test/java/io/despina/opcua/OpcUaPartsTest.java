package io.despina.opcua;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.ConnectorCase;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseResult;
import org.eclipse.milo.opcua.stack.core.types.structured.ReferenceDescription;
import org.junit.jupiter.api.Test;

/** What needs no server: paths, numbers of messages, values as JSON. */
class OpcUaPartsTest {
    private static boolean means(String pattern, String... names) {
        NodePath path = new NodePath(pattern);
        long at = path.start();
        for (String each : names) {
            at = path.after(at, each);
        }
        return path.isEnd(at);
    }

    @Test
    void aPathMeansTheNodesThatFitItsLevels() {
        assertEquals(List.of(true, false, false, false), List.of(means("/a/b", "a", "b"), means("/a/b", "a"),
                means("/a/b", "a", "b", "c"), means("/a/b", "a", "B")));
        assertEquals(List.of(true, true, false), List.of(means("/a*c/*", "abc", "x"), means("/a*c/*", "ac", ""),
                means("/a*c/*", "acd", "x")));
        assertEquals(List.of(true, true, true, false), List.of(means("/**/t", "t"), means("/**/t", "a", "b", "t"),
                means("/a/**", "a"), means("/a/**", "b")));
        assertEquals(true, means("/{line}/**/[x].(*", "l1", "p", "q", "[x].(y"));
    }

    @Test
    void aPathNamesWhatStandsInItsLevels() {
        assertArrayEquals(new String[] {"l1", null, "p"}, new NodePath("/**/{line}/*/{device}")
                .named(List.of("z", "l1", "x", "p"), List.of("line", "other", "device")));
    }

    @Test
    void whereNothingBelowCanBeMeantOneGoesNoFurther() {
        NodePath path = new NodePath("/a/*");
        assertEquals(List.of(true, false, false), List.of(path.goesOn(path.after(path.start(), "a")),
                path.goesOn(path.after(path.start(), "b")), path.goesOn(path.after(path.after(path.start(), "a"), "b"))));
    }

    @Test
    void numbersOfMessagesGoRound() {
        Sequence sequence = new Sequence();
        assertEquals(List.of(0L, 4L, -1L), List.of(sequence.ahead(1), sequence.ahead(5), sequence.ahead(4_294_967_295L)));
        sequence.passTo(4_294_967_295L);
        assertEquals(2, sequence.ahead(2));
        sequence.pass();
        assertEquals(List.of(1L, 0L, -1L), List.of(sequence.next(), sequence.ahead(1), sequence.ahead(4_294_967_295L)));
    }

    /** A server that gives one name at a time, and has one continuation point. */
    private static final class Meagre implements Branches.Asked {
        private final int names;
        private final boolean mute;
        private int left = 1;

        Meagre(int names, boolean mute) {
            this.names = names;
            this.mute = mute;
        }

        @Override
        public BrowseResult[] below(List<NodeId> nodes) {
            return mute ? new BrowseResult[0] : nodes.stream().map(each -> first()).toArray(BrowseResult[]::new);
        }

        private BrowseResult first() {
            if (left == 0) {
                return new BrowseResult(new StatusCode(StatusCodes.Bad_NoContinuationPoints), null, null);
            }
            left--;
            return after(0);
        }

        @Override
        public BrowseResult[] more(ByteString point) {
            return new BrowseResult[] {after(point.bytes()[0])};
        }

        private BrowseResult after(int given) {
            boolean last = given + 1 == names;
            left += last ? 1 : 0;
            return new BrowseResult(StatusCode.GOOD, last ? null : ByteString.of(new byte[] {(byte) (given + 1)}),
                    new ReferenceDescription[] {new ReferenceDescription(null, true, null, new QualifiedName(0, "n" + given),
                            null, null, null)});
        }
    }

    @Test
    void whatAServerListsByPiecesIsWhole() throws Exception {
        List<NodeId> nodes = List.of(new NodeId(1, 1), new NodeId(1, 2), new NodeId(1, 3));
        for (List<ReferenceDescription> each : new Branches(new Meagre(3, false)).below(nodes)) {
            assertEquals(List.of("n0", "n1", "n2"), each.stream().map(one -> one.getBrowseName().getName()).toList());
        }
        assertEquals("the server was asked about 3, and its answer is about 0", assertThrows(IOException.class,
                () -> new Branches(new Meagre(1, true)).below(nodes)).getMessage());
    }

    @Test
    void valuesAreJson() {
        Object[] values = {null, true, (byte) -1, Unsigned.ubyte(255),
                Unsigned.ulong(new BigInteger("18446744073709551615")), 3.14f, 1e300,
                Double.NaN, Float.NEGATIVE_INFINITY, "a\"\\\n\u0001ä", new DateTime(132_223_104_000_000_001L),
                new UUID(1, 2), ByteString.of(new byte[] {1, 2, 3}), LocalizedText.english("text"), new NodeId(2, "a"),
                new double[] {1, 2}, new Integer[][] {{1}, {2, 3}}, new Variant[] {new Variant(1), new Variant("b")}};
        String[] expected = {"null", "true", "-1", "255", "18446744073709551615", "3.14", "1.0E300", "\"NaN\"", "\"-Infinity\"",
                "\"a\\\"\\\\\\u000a\\u0001ä\"", "\"2020-01-01T00:00:00.000000100Z\"",
                "\"00000000-0000-0001-0000-000000000002\"", "\"AQID\"", "\"text\"", "\"ns=2;s=a\"", "[1.0,2.0]", "[[1],[2,3]]",
                "[1,\"b\"]"};
        for (int k = 0; k < values.length; k++) {
            assertEquals("{\"v\":" + expected[k] + "}", ValueText.of("v", values[k], none -> null));
        }
        for (Object none : new Object[] {ByteString.NULL_VALUE, LocalizedText.NULL_VALUE, QualifiedName.NULL_VALUE}) {
            assertEquals("{\"v\":null}", ValueText.of("v", none, any -> null));
        }
    }

    /** A server may say of some bytes that they are the same structure again and again. */
    @Test
    @ConnectorCase("opcua: large")
    void aValueHasBounds() {
        ExtensionObject structure = new ExtensionObject(ByteString.of(new byte[1]), new NodeId(2, 1));
        assertEquals("the value has more than 256 structures and lists within each other", assertThrows(
                UnsupportedOperationException.class, () -> ValueText.of("v", structure, Variant::new)).getMessage());
        Object[] many = Collections.nCopies(100, Map.of("n".repeat(1 << 20), true)).toArray();
        assertEquals("the value has more than 67108864 characters as JSON", assertThrows(UnsupportedOperationException.class,
                () -> ValueText.of("v", many, none -> null)).getMessage());
    }
}
