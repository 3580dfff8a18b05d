/** Fields that several definitions declare, with what reads and checks them. */
package io.despina.catalogue.field;
