/** Records whose schemas are in a registry. */
package io.despina.operator.record.registry;
